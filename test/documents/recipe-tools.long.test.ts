/** Recipes with tools of others: dbmate migrates the database, nginx divides the requests. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchTools } from '../helpers/fetched-tool.js';
import { startNginx } from '../helpers/nginx.js';
import { sharedPostgres } from '../helpers/shared-servers.js';
import { writeFiles } from '../helpers/write-files.js';
import { copied } from '../../compiler/notation/written.js';
import { recipeFolder, urlOf } from './recipe-folder.js';

const folder = mkdtempSync(join(tmpdir(), 'apikiln-recipe-tools-'));

beforeAll(async () => {
  await fetchTools(folder, { dbmate: '2.36.0' });
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('dbmate creates the database of the recipe, and takes the last migration back', async () => {
  const { files, blocks } = recipeFolder('migrations');
  const migrations = [...files].filter(([path]) => path.startsWith('migrations/'));
  writeFiles(
    folder,
    migrations.map(([path, text]) => ({ path, text: copied(text) })),
  );
  const server = await sharedPostgres();
  const database = 'recipe_migrations_dbmate';
  await server.createDatabase(database);
  const shell = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
  const [, command = ''] = /^npx (dbmate .* up)$/m.exec(shell.join('')) ?? [];
  const dbmate = async (last: string): Promise<string> => {
    const [, ...args] = command.replace(/up$/, last).split(' ');
    const { stdout } = await promisify(execFile)(join(folder, 'node_modules/.bin/dbmate'), args, {
      cwd: folder,
      env: { PATH: process.env['PATH'], DATASOURCE_SHOPDB_URL: urlOf(server, database) },
    });
    return stdout;
  };
  const columns = async (): Promise<unknown> => {
    const rows = await server.exec(
      database,
      "select column_name as name from information_schema.columns where table_name = 'book' order by ordinal_position",
    );
    return rows.map(({ name }) => name);
  };
  await dbmate('up');
  expect(await columns()).toEqual(['id', 'title', 'price']);
  // Statements of the version before the last migration still work.
  await server.exec(database, "insert into book (title) values ('Clay')");
  expect(await dbmate('status')).toContain('Pending: 0');
  await dbmate('rollback');
  expect(await columns()).toEqual(['id', 'title']);
  expect(await dbmate('status')).toContain('Pending: 1');
  await dbmate('up');
  expect(await server.exec(database, 'select title, price::text as price from book')).toEqual([
    { title: 'Clay', price: '0.00' },
  ]);
});

test('nginx sends the moved path to the new service, and everything else to the old one', async () => {
  const targets = await Promise.all(
    ['old', 'new'].map(async (name) => {
      const server = createServer((request, response) => {
        response.end(`${name} ${request.headers.host ?? ''}`);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return { server, port: (server.address() as AddressInfo).port };
    }),
  );
  const [former, latter] = targets;
  const { blocks } = recipeFolder('from-express');
  const locations = (blocks.find(({ words: [word] }) => word === 'nginx')?.text ?? '')
    .replace(':3000', `:${former?.port ?? 0}`)
    .replace(':8080', `:${latter?.port ?? 0}`);
  const proxy = await startNginx([], [], locations);
  try {
    const of = async (path: string, method = 'GET'): Promise<string> =>
      (await fetch(`${proxy.url}${path}`, { method })).text();
    const { host } = new URL(proxy.url);
    expect(await Promise.all([of('/books/1'), of('/books/1', 'DELETE')])).toEqual([
      `new ${host}`,
      `new ${host}`,
    ]);
    expect(await Promise.all([of('/books'), of('/books/1/covers'), of('/')])).toEqual([
      `old ${host}`,
      `old ${host}`,
      `old ${host}`,
    ]);
  } finally {
    await proxy.stop();
    for (const { server } of targets) server.close();
  }
});
