/** The recipe of Markdown: built, with its packages installed, and sent HTML of attackers. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build } from '../../compiler/tools/commands/build.js';
import { RunningService } from '../helpers/running-service.js';
import { sharedPostgres } from '../helpers/shared-servers.js';
import { testTerminal } from '../helpers/test-terminal.js';
import { sendPageRequest } from './page-request.js';
import { bodyOf, createRecipeDatabase, recipeFolder, shownIn } from './recipe-folder.js';

const recipe = recipeFolder('markdown');
let folder: string;
let service: RunningService;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'apikiln-markdown-'));
  writeFileSync(join(folder, 'config.yaml'), recipe.files.get('config.yaml') ?? '');
  const silent = (): void => undefined;
  expect(await build(undefined, { format: 'text', out: 'service' }, testTerminal(folder, silent))).toBe(0);
  const own = 'src/code/markdown.ts';
  writeFileSync(join(folder, 'service', own), recipe.files.get(own) ?? '');
  await npm('install');
  const commands = recipe.blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
  for (const line of commands.join('\n').split('\n').filter(Boolean))
    await npm(...line.replace(/^npm /, '').split(' '));
  await npm('run', 'build');
  const server = await sharedPostgres();
  await createRecipeDatabase(server, 'recipe_markdown', recipe);
  service = await RunningService.start(join(folder, 'service'), {
    DATASOURCE_KITCHEN_URL: server.jdbcUrl('recipe_markdown'),
    KITCHEN_USER: server.user,
    KITCHEN_PASSWORD: server.password,
  });
});

afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs npm without the variables of the npm that runs the tests. */
async function npm(...args: string[]): Promise<void> {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(?:PATH|HOME|https?_proxy|NODE_EXTRA_CA_CERTS|npm_config_\w+)$/i.test(name),
  );
  const env = Object.fromEntries(kept.map(([name, value]) => [name, value ?? '']));
  const options = args[0] === 'install' ? ['--no-audit', '--no-fund', '--prefer-offline'] : [];
  await promisify(execFile)('npm', [...args, ...options], { cwd: join(folder, 'service'), env });
}

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
  // What is no allowed tag has no bracket.
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
