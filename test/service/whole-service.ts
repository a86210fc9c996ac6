/**
 * A service that loads every package a service can use: tokens, uploads, third parties, an outbox, a timer, user routes and the test page.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'fflate';
import { createTar, parseTar } from 'nanotar';
import { expect } from 'vitest';
import { build, type BuildOptions } from '../../compiler/tools/commands/build.js';
import { sharedPostgres } from '../helpers/shared-servers.js';
import { testTerminal } from '../helpers/test-terminal.js';

const config = `specification: "1.0"
operations:
  GET /notes:
    authentications: [users]
    fulfillments:
      - { name: notes, type: READ, datasource: db, instructions: [{ query: SELECT text FROM note ORDER BY text }] }
    responses:
      - { name: ok, default: true, statuscode: 200, schema: { list: 'VALUE(notes, $)', item: { text: 'VALUE(@, $.text)' } } }
  POST /notes:
    authentications: []
    transaction: true
    fulfillments:
      - name: noted
        type: UPDATE
        datasource: db
        instructions: [{ query: 'INSERT INTO note (text) VALUES (:[PARAM(text)])' }]
      - name: sent
        type: UPDATE
        datasource: chat
        instructions: [{ request: { url: /notes, httpType: POST, multipart: { file: MULTIPART_FILE(file) } } }]
      - name: told
        type: UPDATE
        datasource: chat
        instructions: [{ request: { url: /messages, httpType: POST, deliver: afterCommit } }]
    responses: [{ name: ok, default: true, statuscode: 201 }]
  note a tick:
    triggers: [{ name: every second, cron: '* * * * * *' }]
    fulfillments:
      - { name: tick, type: UPDATE, datasource: db, instructions: [{ query: "INSERT INTO note (text) VALUES ('tick')" }] }
authentications:
  users: { type: jwt, issuer: 'https://id.example', audience: notes, key: '\${TOKEN_KEY}' }
settings: { debug: true }
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/notes' }
  chat: { type: rest, url: 'https://chat.example.com', outbox: db }
`;

const app = `import express, { type Express } from 'express';
import { encode } from '@apikiln/runtime';
import { contextOf } from './context.js';

export const app: Express = express();

app.get('/ticks', async (request, response) => {
  const { datasources } = await contextOf(request, { authentications: [] });
  const [counted] = await datasources.db('note').where({ text: 'tick' }).count({ ticks: '*' });
  response.json({ ticks: Number(counted?.ticks) });
});

app.get('/stack', (_request, response) => {
  try {
    encode('\\ud800');
  } catch (error) {
    response.json((error as Error).stack);
  }
});
`;

/** Builds the service in the folder, with user routes that import Express, knex and the runtime; returns the service's folder. */
export async function buildWhole(folder: string, options: Partial<BuildOptions> = {}): Promise<string> {
  const service = join(folder, 'service');
  mkdirSync(join(service, 'src'), { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), config);
  writeFileSync(join(service, 'src/app.ts'), app);
  const lines: string[] = [];
  const terminal = testTerminal(folder, (line) => lines.push(line));
  const status = await build(undefined, { format: 'text', out: 'service', ...options }, terminal);
  if (status !== 0) throw new Error(lines.join('\n'));
  return service;
}

const digest = (algorithm: string, bytes: string | Uint8Array): Buffer =>
  createHash(algorithm).update(bytes).digest();

/**
 * Replaces the runtime of a built service by one from a simulated earlier build: the same version with an additional export `earlier`, and
 * therefore a different digest.
 */
export function withEarlierRuntime(service: string): void {
  const [name = ''] = readdirSync(join(service, 'vendor'));
  const original = readFileSync(join(service, 'vendor', name));
  const files = parseTar(gunzipSync(original)).map(({ name: path, data = new Uint8Array(), attrs = {} }) => {
    const more = path === 'package/dist/index.js' ? '\nexport const earlier = true;\n' : '';
    return { name: path, data: Buffer.concat([data, Buffer.from(more)]), attrs };
  });
  const bytes = gzipSync(createTar(files));
  const earlier = name.replace(
    /-[\da-f]{8}\.tgz$/,
    `-${digest('sha256', bytes).toString('hex').slice(0, 8)}.tgz`,
  );
  rmSync(join(service, 'vendor', name));
  writeFileSync(join(service, 'vendor', earlier), bytes);

  const manifest = JSON.parse(readFileSync(join(service, '.apikiln.json'), 'utf8')) as {
    readonly files: Record<string, string>;
  };
  const written = new Map(Object.entries(manifest.files));
  written.delete(`vendor/${name}`);
  written.set(`vendor/${earlier}`, digest('sha256', bytes).toString('hex'));
  const [before, after] = [original, bytes].map((one) => digest('sha512', one).toString('base64'));
  for (const path of ['package.json', 'package-lock.json']) {
    const text = readFileSync(join(service, path), 'utf8');
    const changed = text.replaceAll(name, earlier).replaceAll(before ?? '', after ?? '');
    writeFileSync(join(service, path), changed);
    written.set(path, digest('sha256', changed).toString('hex'));
  }
  writeFileSync(
    join(service, '.apikiln.json'),
    JSON.stringify({ ...manifest, files: Object.fromEntries(written) }),
  );
}

/** The settings of the service, with a database that contains its table. */
export async function prepareWhole(database: string): Promise<Record<string, string>> {
  const server = await sharedPostgres();
  await server.createDatabase(database);
  await server.exec(database, 'CREATE TABLE note (text text NOT NULL)');
  return {
    DATASOURCE_DB_URL: server.jdbcUrl(database),
    DATASOURCE_DB_USER: server.user,
    DATASOURCE_DB_PASSWORD: server.password,
    DATASOURCE_CHAT_URL: 'http://127.0.0.1:9',
    AUTHENTICATION_USERS_ISSUER: 'https://id.example',
    AUTHENTICATION_USERS_AUDIENCE: 'notes',
    AUTHENTICATION_USERS_KEY: '0123456789abcdef0123456789abcdef',
  };
}

/** Sends a request to each part of the running service. */
export async function expectWhole(url: string): Promise<void> {
  const statusOf = async (path: string, init?: RequestInit): Promise<number> =>
    (await fetch(`${url}${path}`, init)).status;
  expect(await statusOf('/notes')).toBe(401);
  expect(await statusOf('/docs-ui/')).toBe(200);
  expect(await statusOf('/docs-ui/swagger-ui.js')).toBe(200);
  const body = new FormData();
  body.set('text', 'a');
  body.set('file', new Blob(['b']), 'b.txt');
  // The third party's port refuses connections.
  expect(await statusOf('/notes', { method: 'POST', body })).toBe(502);
  const stack = await (await fetch(`${url}/stack`)).json();
  expect(stack).toMatch(
    / at encode \(\S+\/node_modules\/@apikiln\/runtime\/src\/rest\/url-values\.ts:\d+:\d+\)/,
  );
  expect(stack).toMatch(/\/src\/app\.ts:\d+:\d+/);
  const ticks = async (): Promise<number> =>
    ((await (await fetch(`${url}/ticks`)).json()) as { readonly ticks: number }).ticks;
  while ((await ticks()) === 0) await delay(50);
}
