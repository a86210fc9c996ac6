/** The recipe of Markdown: built, with its packages installed, and sent HTML of attackers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RunningService } from '../helpers/running-service.js';
import { sharedPostgres } from '../helpers/shared-servers.js';
import { installRecipe, type InstalledRecipe } from './installed-recipe.js';
import { sendPageRequest } from './page-request.js';
import { bodyOf, createRecipeDatabase, recipeFolder, shownIn } from './recipe-folder.js';

const recipe = recipeFolder('markdown');
let installed: InstalledRecipe;
let service: RunningService;

beforeAll(async () => {
  installed = await installRecipe(recipe);
  const server = await sharedPostgres();
  await createRecipeDatabase(server, 'recipe_markdown', recipe);
  service = await RunningService.start(installed.service, {
    DATASOURCE_KITCHEN_URL: server.jdbcUrl('recipe_markdown'),
    KITCHEN_USER: server.user,
    KITCHEN_PASSWORD: server.password,
  });
});

afterAll(async () => {
  await service.stop();
  installed.remove();
});

test.each(recipe.exchanges)('%s has the response of the page', async (_, request, response) => {
  expect(await bodyOf(await sendPageRequest(service.url, request))).toEqual(shownIn(response));
});

const hostile = [
  '<script>alert(1)</script>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<math><mi xlink:href="javascript:alert(1)">x</mi></math>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="jAvA&#x09;script:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](java&#x73;cript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](//evil.example/)',
  '![x](x"onerror="alert(1))',
  '[x](https://a.example "x\\" onmouseover=\\"alert(1)")',
  '<div style="background:url(javascript:alert(1))">x</div>',
  '<form action="https://evil.example"><input type=password></form>',
  '<base href="https://evil.example/">',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<textarea></textarea><style><img src=x onerror=alert(1)></style>',
  '```\n</code></pre><script>alert(1)</script>\n```',
  '`<script>alert(1)</script>`',
  '<!--><script>alert(1)</script>-->',
  '<p\u0000 onclick=alert(1)>x</p>',
];

test('no HTML of attackers remains, neither alone nor in a list', async () => {
  const allowed =
    /<\/?(?:h[123]|p|blockquote|ul|ol|li|hr|br|strong|em|del|code|pre|table|thead|tbody|tr|th|td)(?: \/)?>|<a(?: href="(?:https:|mailto:)[^"<>]*")? rel="nofollow noopener">|<\/a>/g;
  for (const notes of hostile) {
    const body = JSON.stringify({ title: 'Stone', notes: notes.replaceAll('\u0000', '\uFFFD') });
    const answer = await fetch(`${service.url}/recipes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(answer.status, notes).toBe(201);
  }
  const listed = (await (await fetch(`${service.url}/recipes`)).json()) as readonly { html: string }[];
  expect(listed).toHaveLength(recipe.exchanges.length + hostile.length);
  // Text outside of allowed tags contains no brackets.
  for (const { html } of listed) expect(html.replaceAll(allowed, '')).not.toMatch(/[<>]/);
});

test('a note that is too long is refused before the function gets it', async () => {
  const body = JSON.stringify({ title: 'Long', notes: 'x'.repeat(20_001) });
  const answer = await fetch(`${service.url}/recipes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect(answer.status).toBe(400);
});
