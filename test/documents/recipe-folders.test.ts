/** Recipes that are a folder of their own: checked, built, run on PostgreSQL, and asked what the pages show. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Workspace } from '../commands/workspace.js';
import { RunningService } from '../helpers/running-service.js';
import { sharedPostgres } from '../helpers/shared-servers.js';
import { clientOf, loadClient, strictOptions } from '../client/client-module.js';
import { SchemaDatabases } from '../../compiler/analyze/database/schema-databases.js';
import { typeErrors } from '../helpers/type-check.js';
import { pagesBelow, readDocument } from './code-blocks.js';
import { sendPageRequest } from './page-request.js';
import {
  bodyOf,
  buildRecipes,
  createRecipeDatabase,
  recipeFolder,
  shownIn,
  urlOf,
  type RecipeFolder,
} from './recipe-folder.js';

const folders = ['migrations', 'docker-compose', 'from-express', 'typed-client', 'tools-for-assistants'].map(
  recipeFolder,
);
const compose = folders.find(({ name }) => name === 'docker-compose');
const moved = folders.find(({ name }) => name === 'from-express');
const services = new Map<string, RunningService>();
let built: Awaited<ReturnType<typeof buildRecipes>>;
/** The old routes of the recipe, in an Express application that has nothing else. */
let old: RunningService;

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
      DATABASE_URL: urlOf(server, database),
    };
    services.set(folder.name, await RunningService.start(place, environment));
    if (folder !== moved) continue;
    mkdirSync(join(place, 'alone/dist'), { recursive: true });
    writeFileSync(
      join(place, 'alone/dist/main.js'),
      `import express from 'express';
import { routes } from '../../dist/old/routes.js';
const listening = express().use(routes).listen(0, '127.0.0.1', () => {
  console.log('http://127.0.0.1:' + listening.address().port);
});
`,
    );
    old = await RunningService.start(join(place, 'alone'), environment);
  }
});

afterAll(async () => {
  for (const service of services.values()) await service.stop();
  await old.killAll();
});

function databaseOf({ name }: RecipeFolder): string {
  return `recipe_${name.replaceAll('-', '_')}`;
}

test('each recipe with a configuration of its own is played here, or in a long test', () => {
  const found = pagesBelow('docs/recipes').filter((path) =>
    readDocument(path).blocks.some(({ words: [name] }) => name === 'config.yaml'),
  );
  const played = [...folders.map(({ name }) => name), 'admin-table-page', 'markdown'];
  expect(found).toEqual(played.map((name) => `docs/recipes/${name}.md`).toSorted());
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

describe('the typed client', () => {
  test('runs in the front end of the page, whose types are checked', async () => {
    const files = folders.find(({ name }) => name === 'typed-client')?.files ?? new Map<string, string>();
    const sources = [{ path: 'schema.sql', text: files.get('schema.sql') ?? '' }];
    const { text: api } = await clientOf(
      { config: { path: 'config.yaml', text: files.get('config.yaml') ?? '' } },
      new SchemaDatabases(() => ({ kind: 'schema', sources })),
    );
    const written = files.get('web/books.ts') ?? '';
    const modules = [
      { path: 'tsconfig.json', text: JSON.stringify({ compilerOptions: strictOptions }) },
      ...[
        { path: 'web/api.ts', text: api },
        { path: 'web/books.ts', text: written },
      ],
    ];
    expect(typeErrors([{ name: 'typed-client', files: modules }])).toEqual([]);
    await loadClient('api', api);
    const url = services.get('typed-client')?.url ?? '';
    const books = await loadClient(
      'books',
      written.replace('http://localhost:3000', url).replace('./api.js', './api.mjs'),
    );
    expect(await books['titles']?.({ baseUrl: '' })).toEqual(['Clay', 'Glazes', 'Kilns']);
    const add = books['add'] as unknown as (title: string) => Promise<unknown>;
    expect(await add('Raku')).toBe(4);
    expect(await add('Raku')).toBe('You have this book');
    const addOrThrow = books['addOrThrow'] as unknown as (title: string) => Promise<unknown>;
    await expect(addOrThrow('Raku')).rejects.toMatchObject({ response: { status: 409 } });
  });
});

describe('the old routes', () => {
  test.each(moved?.exchanges ?? [])('have the same response alone: %s', async (_, request, response) => {
    expect(await bodyOf(await sendPageRequest(old.url, request))).toEqual(shownIn(response));
  });

  test('differ from the operations where the page says so', async () => {
    const statuses = async (method: string, path: string): Promise<number[]> =>
      Promise.all(
        [old.url, services.get('from-express')?.url ?? ''].map(
          async (url) => (await fetch(`${url}${path}`, { method })).status,
        ),
      );
    expect(await statuses('GET', '/books/clay')).toEqual([500, 400]);
    expect(await statuses('POST', '/books/1')).toEqual([404, 405]);
  });

  test('serve methods that no operation has, with the same session', async () => {
    const response = await fetch(`${services.get('from-express')?.url ?? ''}/books/2`, {
      method: 'DELETE',
      headers: { cookie: 'sid=s-1' },
    });
    expect(response.status).toBe(204);
    expect((await fetch(`${old.url}/books/2`)).status).toBe(404);
  });
});

interface Composed {
  readonly services: Readonly<
    Record<
      'database' | 'shop',
      {
        readonly image?: string;
        readonly build?: string;
        readonly env_file: string;
        readonly environment?: Readonly<Record<string, string>>;
        readonly volumes?: readonly string[];
        readonly ports?: readonly string[];
        readonly healthcheck?: { readonly test: readonly string[] };
        readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
        readonly stop_grace_period?: string;
      }
    >
  >;
  readonly volumes: Readonly<Record<string, null>>;
}

describe('compose.yaml', () => {
  const { services: parts, volumes } = parse(compose?.files.get('compose.yaml') ?? '') as Composed;
  const { database, shop } = parts;
  const variablesIn = (path: string): Record<string, string> =>
    Object.fromEntries(
      (compose?.files.get(path) ?? '')
        .trim()
        .split('\n')
        .map((line) => line.split('=', 2) as [string, string]),
    );
  const [server, service] = [variablesIn(database.env_file), variablesIn(shop.env_file)];

  test('sets variables of the service, and the same account on both sides', () => {
    const { generated } = built.get('docker-compose') ?? {};
    const example = generated?.get('.env.example') ?? '';
    const set = { ...service, ...shop.environment };
    expect(Object.keys(set).filter((name) => !example.includes(`\n# ${name}=`))).toEqual([]);
    expect(set).toEqual({
      DATASOURCE_SHOPDB_URL: `jdbc:postgresql://database:5432/${server['POSTGRES_DB'] ?? ''}`,
      DATASOURCE_SHOPDB_USER: server['POSTGRES_USER'],
      DATASOURCE_SHOPDB_PASSWORD: server['POSTGRES_PASSWORD'],
    });
  });

  test('waits for a health check of the database, with its own account', () => {
    expect(shop.depends_on).toEqual({ database: { condition: 'service_healthy' } });
    expect(database.healthcheck?.test).toEqual([
      'CMD',
      'pg_isready',
      '--host=127.0.0.1',
      `--username=${server['POSTGRES_USER'] ?? ''}`,
      `--dbname=${server['POSTGRES_DB'] ?? ''}`,
    ]);
  });

  test('leaves the health check of the service to its Dockerfile, and publishes its port', () => {
    const dockerfile = built.get('docker-compose')?.generated.get('Dockerfile') ?? '';
    expect([shop.build, shop.image, shop.healthcheck]).toEqual(['./service', undefined, undefined]);
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
    const [, exposed = ''] = /^EXPOSE (\d+)$/m.exec(dockerfile) ?? [];
    expect(shop.ports).toEqual([`127.0.0.1:${exposed}:${exposed}`]);
  });

  test('mounts files and volumes that are there', () => {
    const mounted = (database.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    expect(mounted.filter((name) => name.startsWith('./') && !compose?.files.has(name.slice(2)))).toEqual([]);
    expect(mounted.filter((name) => !name.startsWith('./'))).toEqual(Object.keys(volumes));
  });

  test('waits longer for the service than SHUTDOWN_TIMEOUT', () => {
    const { text } = readDocument('docs/reference/settings.md');
    const [, milliseconds] = /`SHUTDOWN_TIMEOUT` +\| (\d+)/.exec(text) ?? [];
    expect(Number.parseInt(shop.stop_grace_period ?? '', 10) * 1000).toBeGreaterThan(Number(milliseconds));
  });
});
