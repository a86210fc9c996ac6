/** Recipes that are a folder of their own: checked, built, run on PostgreSQL, and asked what the pages show. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Workspace } from '../commands/workspace.js';
import { RunningService } from '../helpers/running-service.js';
import { sharedPostgres } from '../helpers/shared-servers.js';
import { pagesBelow, readDocument } from './code-blocks.js';
import { sendPageRequest } from './page-request.js';
import {
  bodyOf,
  buildRecipes,
  createRecipeDatabase,
  recipeFolder,
  shownIn,
  type RecipeFolder,
} from './recipe-folder.js';

const folders = ['migrations'].map(recipeFolder);
const services = new Map<string, RunningService>();
let built: Awaited<ReturnType<typeof buildRecipes>>;

beforeAll(async () => {
  built = await buildRecipes('recipe-folders', folders);
  const server = await sharedPostgres();
  for (const folder of folders) {
    const database = databaseOf(folder);
    await createRecipeDatabase(server, database, folder);
    const place = built.get(folder.name)?.folder ?? '';
    const environment = {
      DATASOURCE_SHOPDB_URL: server.jdbcUrl(database),
      DATASOURCE_SHOPDB_USER: server.user,
      DATASOURCE_SHOPDB_PASSWORD: server.password,
    };
    services.set(folder.name, await RunningService.start(place, environment));
  }
});

afterAll(async () => {
  for (const service of services.values()) await service.stop();
});

function databaseOf({ name }: RecipeFolder): string {
  return `recipe_${name.replaceAll('-', '_')}`;
}

test('each recipe with a configuration of its own is played here', () => {
  const found = pagesBelow('docs/recipes').filter((path) =>
    readDocument(path).blocks.some(({ words: [name] }) => name === 'config.yaml'),
  );
  expect(found).toEqual(folders.map(({ name }) => `docs/recipes/${name}.md`).toSorted());
});

describe.each(folders)('$name', (folder) => {
  test('is checked with its schema or migrations, without a message', async () => {
    const workspace = new Workspace();
    try {
      for (const [path, text] of folder.files) workspace.write(path, text);
      expect(await workspace.run('check')).toEqual({
        status: 0,
        stdout: '',
        stderr: 'config.yaml is fine.\n',
      });
    } finally {
      workspace.remove();
    }
  });

  test.each(folder.exchanges)('%s has the response of the page', async (_, request, response) => {
    const { url } = services.get(folder.name) ?? { url: '' };
    expect(await bodyOf(await sendPageRequest(url, request))).toEqual(shownIn(response));
  });
});
