/** Failing streams behind real proxies: each cause, each kind of body and each route to the client. A partial body never looks complete. */
import { copied } from '../../compiler/notation/written.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AttachedServer } from '../helpers/database-server.js';
import { freePort } from '../helpers/free-port.js';
import { startHaproxy } from '../helpers/haproxy.js';
import { startNginx } from '../helpers/nginx.js';
import { RunningService } from '../helpers/running-service.js';
import { manyRuns } from '../helpers/runs.js';
import { buildServices } from '../helpers/service-build.js';
import type { DatabaseKind } from '../helpers/service-fixture.js';
import { filesOf } from '../emit/compile-text.js';
import { kinds, sharedServer } from '../service/services.js';

const rows = 1000;

const modes = ['whole', 'fail', 'hold'] as const;
type Mode = (typeof modes)[number];

/** The expression evaluated for the 900th row. */
const states: Readonly<Record<DatabaseKind, Readonly<Record<Mode, string>>>> = {
  postgresql: { whole: '1', fail: '1 / (n - 900)', hold: 'length(pg_sleep(60)::text)' },
  mariadb: { whole: '1', fail: '(SELECT seq FROM seq_1_to_2 AS two WHERE two.seq < n)', hold: 'SLEEP(60)' },
};

/**
 * Rows of 200 bytes that compress to half their size. They come from a view, because a statement that calls a sleeping function is not
 * streamed.
 */
function viewOf(kind: DatabaseKind, mode: Mode): string {
  const source = {
    postgresql: `generate_series(1, ${rows}) AS n`,
    mariadb: `(SELECT seq AS n FROM seq_1_to_${rows}) AS numbers`,
  }[kind];
  const wide = [1, 2, 3, 4, 5, 6].map((salt) => `md5(concat(n, '-${salt}'))`).join(', ');
  return `
    CREATE VIEW ${mode}_rows AS
    SELECT n AS id, concat(${wide}) AS wide, CASE WHEN n >= 900 THEN ${states[kind][mode]} END AS state FROM ${source}`;
}

function configOf(kind: DatabaseKind): object {
  const operation = (mode: Mode, contentType: string): object => ({
    fulfillments: [
      {
        name: 'rows',
        type: 'READ',
        datasource: 'main',
        instructions: [{ query: `SELECT id, wide, state FROM ${mode}_rows` }],
      },
    ],
    responses: [
      {
        ...{ name: 'rows', default: true, statuscode: 200, contentType },
        schema: { list: 'VALUE(rows, $)', item: { id: 'VALUE(@, $.id)', wide: 'VALUE(@, $.wide)' } },
      },
    ],
  });
  return {
    specification: '1.0',
    operations: Object.fromEntries(
      modes.flatMap((mode) => [
        [`GET /${mode}/rows.csv`, operation(mode, 'text/csv')],
        [`GET /${mode}/rows.ndjson`, operation(mode, 'application/x-ndjson')],
      ]),
    ),
    datasources: {
      main: { type: 'db', url: `jdbc:${kind}://localhost/nowhere`, timeout: 3, pool: { max: 34 } },
    },
  };
}

/** A page written like the rows, and routes that end the process. */
const app = `
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import express, { type Express } from 'express';

export const app: Express = express();

app.get('/:mode/page', async (request, response, next) => {
  const { mode } = request.params;
  response.type('html');
  for (let n = 1; n <= ${rows}; n += 1) {
    if (n === 900 && mode === 'hold') await delay(60_000);
    if (n === 900 && mode === 'fail') throw new Error('inside');
    if (n === 900 && mode === 'next') return next(new Error('inside'));
    if (n === 900 && mode === 'destroy') return response.destroy();
    const wide = [n, n + 1, n + 2, n + 3, n + 4, n + 5].map((each) => createHash('md5').update(String(each)).digest('hex'));
    if (!response.write(n + ',' + wide.join('') + '\\n')) await Promise.race([new Promise((done) => response.once('drain', done)), delay(1000)]);
  }
  return response.end();
});
app.get('/exit', () => process.exit(3));
app.get('/uncaught', () => setTimeout(() => { throw new Error('inside'); }, 1));
`;

interface Way {
  readonly name: string;
  readonly url: string;
  /** Additional arguments of curl. */
  readonly options: readonly string[];
}

const folders = new Map<DatabaseKind, string>();
const servers = new Map<DatabaseKind, AttachedServer>();
const ways: Way[] = [];
const stops: (() => Promise<void>)[] = [];
let port = 0;

beforeAll(async () => {
  const sources = await Promise.all(
    kinds.map(async (kind) => ({
      name: kind,
      files: [
        ...(await filesOf(configOf(kind))),
        { path: 'src/app.ts', text: copied(app), kind: 'once' as const },
      ],
    })),
  );
  for (const [kind, folder] of buildServices('streams', sources)) folders.set(kind as DatabaseKind, folder);
  for (const kind of kinds) {
    const server = await sharedServer[kind]();
    await server.createDatabase('deployment_streams');
    for (const mode of modes) await server.exec('deployment_streams', viewOf(kind, mode));
    servers.set(kind, server);
  }
  port = await freePort();
  const direct = `http://127.0.0.1:${port}`;
  // As installed by Debian, with the lines that users add.
  const installed = await startNginx([port], ['gzip on;']);
  const unbuffered = await startNginx([port], ['gzip on;', 'proxy_buffering off;']);
  const modern = await startNginx([port], ['proxy_http_version 1.1;']);
  const balancer = await startHaproxy([port], 'http');
  stops.push(...[installed, unbuffered, modern, balancer].map((proxy) => () => proxy.stop()));
  ways.push(
    { name: 'HTTP/1.0', url: direct, options: ['--http1.0'] },
    { name: 'HTTP/1.1', url: direct, options: [] },
    { name: 'nginx', url: installed.url, options: [] },
    { name: 'nginx without buffers', url: unbuffered.url, options: [] },
    { name: 'nginx with HTTP/1.1', url: modern.url, options: [] },
    { name: 'HAProxy', url: `http://127.0.0.1:${balancer.port}`, options: [] },
  );
});
afterAll(async () => {
  for (const stop of stops) await stop();
});

type Coding = 'identity' | 'gzip' | 'br';
const codings: readonly Coding[] = ['identity', 'gzip', 'br'];
const bodies = ['rows.csv', 'rows.ndjson', 'page'] as const;

interface Download {
  readonly name: string;
  /** Resolves when a part of the body has arrived, or when it ends. */
  readonly begun: Promise<unknown>;
  /** The exit status of curl (0 for a body that looks complete), and the body as it was sent. */
  readonly ended: Promise<readonly [status: number, body: Buffer]>;
}

function download(way: Way, path: string, coding: Coding): Download {
  const chunks: Buffer[] = [];
  const args = ['-sN', ...way.options, '-H', `Accept-Encoding: ${coding}`, `${way.url}/${path}`];
  const curl = spawn('curl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  curl.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = once(curl, 'close').then(([status]) => [status as number, Buffer.concat(chunks)] as const);
  return {
    name: `${way.name} ${path} ${coding}`,
    begun: Promise.race([once(curl.stdout, 'data'), ended]),
    ended,
  };
}

interface Cause {
  readonly name: string;
  readonly mode: string;
  readonly bodies?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** Breaks the stream. */
  readonly act?: (service: RunningService, server: AttachedServer, kind: DatabaseKind) => Promise<unknown>;
}

const lists = ['rows.csv', 'rows.ndjson'];
const soon = { SHUTDOWN_TIMEOUT: '100' };

async function twice(service: RunningService): Promise<void> {
  service.kill('SIGTERM');
  await expect
    .poll(
      () =>
        fetch(service.url).then(
          () => true,
          () => false,
        ),
      { timeout: 20_000 },
    )
    .toBe(false);
  service.kill('SIGTERM');
  expect(await service.ended).toBe(1);
}

const causes: readonly Cause[] = [
  { name: 'an error in the middle', mode: 'fail' },
  { name: 'next with an error', mode: 'next', bodies: ['page'] },
  { name: 'a response that its page destroys', mode: 'destroy', bodies: ['page'] },
  { name: 'no row within the time allowed', mode: 'hold', bodies: lists },
  {
    name: 'a backend that is ended',
    mode: 'hold',
    bodies: lists,
    act: async (_service, server, kind) => {
      if (kind === 'postgresql') {
        await server.exec(
          'deployment_streams',
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        );
        return;
      }
      const found = await server.exec(
        'deployment_streams',
        'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()',
      );
      for (const { id } of found) await server.exec('deployment_streams', `KILL ${String(id)}`);
    },
  },
  {
    name: 'SIGTERM, after SHUTDOWN_TIMEOUT',
    mode: 'hold',
    variables: soon,
    act: async (service) => service.stop(),
  },
  { name: 'a second SIGTERM', mode: 'hold', act: twice },
  {
    name: 'code that ends the process',
    mode: 'hold',
    act: async (service) => {
      await fetch(`${service.url}/exit`).catch(() => undefined);
      expect(await service.ended).toBe(3);
    },
  },
  {
    name: 'an error that nobody catches',
    mode: 'hold',
    variables: soon,
    act: async (service) => {
      await fetch(`${service.url}/uncaught`).catch(() => undefined);
      expect(await service.ended).toBe(1);
    },
  },
  {
    name: 'SIGTERM with WORKERS',
    mode: 'hold',
    variables: { ...soon, WORKERS: '2' },
    act: async (service) => service.stop(),
  },
  { name: 'a second SIGTERM with WORKERS', mode: 'hold', variables: { WORKERS: '2' }, act: twice },
  {
    name: 'a primary process that is killed',
    mode: 'hold',
    variables: { WORKERS: '2' },
    act: async (service) => {
      service.kill('SIGKILL');
      return service.ended;
    },
  },
];

async function start(
  kind: DatabaseKind,
  variables: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const server = servers.get(kind);
  const service = await RunningService.start(folders.get(kind) ?? '', {
    DATASOURCE_MAIN_URL: server?.jdbcUrl('deployment_streams') ?? '',
    DATASOURCE_MAIN_USER: server?.user ?? '',
    DATASOURCE_MAIN_PASSWORD: server?.password ?? '',
    // On a busy machine, a stream waits longer for a connection than the default.
    POOL_WAIT: '60000',
    ...{ PORT: String(port), COMPRESSION: 'on', LOG_REQUESTS: 'on', ...variables },
  });
  onTestFinished(() => {
    service.kill('SIGKILL');
  });
  return service;
}

/** The variants of each cause: one coding and one database, chosen in turn, or all combinations. */
function variants(index: number): readonly (readonly [Coding, DatabaseKind])[] {
  const all = codings.flatMap((coding) => kinds.map((kind) => [coding, kind] as const));
  return manyRuns ? all : all.slice(index % all.length).slice(0, 1);
}

describe('a part of a body is never mistaken for the whole', () => {
  test.each(
    causes.flatMap((cause, index) => variants(index).map(([coding, kind]) => ({ ...cause, coding, kind }))),
  )('$name: $kind, $coding', async ({ mode, act, variables, coding, kind, bodies: some = bodies }) => {
    const server = servers.get(kind);
    if (server === undefined) throw new Error('the server is missing');
    const service = await start(kind, variables);
    const downloads = ways.flatMap((way) => some.map((body) => download(way, `${mode}/${body}`, coding)));
    for (const { begun } of downloads) await begun;
    await act?.(service, server, kind);
    const others: string[] = [];
    // 18: the body is incomplete. 56: the connection was reset.
    for (const { name, ended } of downloads) {
      const [status] = await ended;
      if (status !== 18 && status !== 56) others.push(`${name}: ${status}`);
    }
    service.kill('SIGKILL');
    await service.ended;
    expect(others, service.printed).toEqual([]);
  });
});

test.each(manyRuns ? codings : (['gzip'] as const))(
  'a body that ends is whole on each way: %s',
  async (coding) => {
    for (const kind of kinds) {
      const service = await start(kind);
      const downloads = ways.flatMap((way) => bodies.map((body) => download(way, `whole/${body}`, coding)));
      for (const { name, ended } of downloads) {
        const [status, sent] = await ended;
        // nginx compresses pages itself.
        const isGzip = sent[0] === 0x1f && sent[1] === 0x8b;
        const isBrotli = coding === 'br' && !name.includes('page');
        const text = (isGzip ? gunzipSync(sent) : isBrotli ? brotliDecompressSync(sent) : sent).toString();
        expect([status, text.trimEnd().split('\n').length - Number(name.includes('csv'))], name).toEqual([
          0,
          rows,
        ]);
      }
      expect(await service.stop()).toBe(0);
    }
  },
);
