/** A service that reads from a streaming standby, which lags, cancels reads, is killed and restarted, and is promoted. */
import { noColours } from '../../compiler/notation/screen-writer.js';
import { testTerminal } from '../helpers/test-terminal.js';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { doctor } from '../../compiler/tools/commands/doctor.js';
import { filesOf } from '../emit/compile-text.js';
import { startPostgresPair, type PostgresPair } from '../helpers/postgres-standby.js';
import { RunningService } from '../helpers/running-service.js';
import { buildServices } from '../helpers/service-build.js';
import { ask, askUntil } from '../service/services.js';

/** `visit` calls `GET /entries/{tag}`, and so changes and reads in one request. */
const config = `specification: "1.0"
operations:
  'POST /entries/{tag}':
    fulfillments:
      - name: created
        type: UPDATE
        datasource: main
        instructions:
          - query: INSERT INTO entry (tag, amount) VALUES (:[PARAM(tag)], 0)
    responses:
      - { name: created, default: true, statuscode: 201, schema: { tag: PARAM(tag) } }

  'GET /entries/{tag}':
    fulfillments:
      - name: entry
        type: READ
        datasource: main
        instructions:
          - query: SELECT tag, amount FROM entry WHERE tag = :[PARAM(tag)]
        exceptions:
          - { if: 'SIZE(VALUE(entry, $)) == INTEGER(0)', statuscode: 404, message: 'No entry :[PARAM(tag)]' }
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema: { tag: 'VALUE(entry, $.tag)', amount: 'VALUE(entry, $.amount)' }

  'GET /visits/{tag}':
    fulfillments:
      - name: changed
        type: UPDATE
        datasource: main
        instructions:
          - query: UPDATE entry SET amount = amount + 1 WHERE tag = :[PARAM(tag)]
      - name: entry
        type: reference
        operationName: GET /entries/{tag}
        parameters:
          tag: PARAM(tag)
    responses:
      - { name: ok, default: true, statuscode: 200, schema: 'VALUE(entry, $)' }

  'GET /slow':
    fulfillments:
      - name: counted
        type: READ
        datasource: main
        instructions:
          - query: SELECT min(tag) AS tag, pg_is_in_recovery() AS standby FROM entry, generate_series(1, 20000000) AS n
    responses:
      - { name: ok, default: true, statuscode: 200, schema: { tag: 'VALUE(counted, $.tag)', standby: 'VALUE(counted, $.standby)' } }

  'GET /where':
    fulfillments:
      - name: asked
        type: READ
        datasource: main
        instructions:
          - query: SELECT pg_is_in_recovery() AS standby
    responses:
      - { name: ok, default: true, statuscode: 200, schema: { standby: 'VALUE(asked, $.standby)' } }

datasources:
  main:
    type: db
    url: jdbc:postgresql://localhost/nowhere
    user: nobody
    password: nothing
`;

const database = 'replica';
let folder: string;
let pair: PostgresPair;
let service: RunningService;

beforeAll(async () => {
  const services = buildServices('replica', [{ name: 'replica', files: await filesOf(config) }]);
  folder = services.get('replica') ?? '';
});

beforeEach(async () => {
  pair = await startPostgresPair();
  const [primary, standby] = pair.members;
  // A standby that lags must not block writers.
  await primary.exec('postgres', `alter system set synchronous_standby_names = ''`);
  await primary.exec('postgres', 'select pg_reload_conf()');
  await primary.createDatabase(database);
  await primary.exec(
    database,
    `create table entry (tag text primary key, amount integer not null); insert into entry values ('old', 0)`,
  );
  await caughtUp();
  service = await RunningService.start(folder, {
    DATASOURCE_MAIN_URL: `jdbc:postgresql://127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${database}?targetServerType=primary`,
    DATASOURCE_MAIN_REPLICA_URL: `jdbc:postgresql://127.0.0.1:${standby.port}`,
    // Trying a frozen host before the primary would use up most of the default 2 seconds.
    POOL_WAIT: '10000',
    DATASOURCE_MAIN_USER: primary.user,
    DATASOURCE_MAIN_PASSWORD: primary.password,
    MANAGEMENT_PORT: '0',
    WORKERS: '2',
  });
});

afterEach(async () => {
  await service.stop();
  await pair.stop();
});

/** Waits until the standby has replayed all changes. */
async function caughtUp(): Promise<void> {
  const [primary, standby] = pair.members;
  const [{ lsn } = {}] = await primary.exec('postgres', 'select pg_current_wal_lsn()::text as lsn');
  await expect
    .poll(() => standby.exec('postgres', `select pg_last_wal_replay_lsn() >= '${String(lsn)}' as there`))
    .toEqual([{ there: true }]);
}

async function get(path: string): Promise<unknown> {
  const { status, body } = await ask(service.url, 'GET', path);
  return status === 200 ? body : status;
}

/** Requests a page of the management port. */
async function management(path: string): Promise<string> {
  const port = /"port":(\d+)/.exec(service.printed)?.[1] ?? '';
  return (await fetch(`http://127.0.0.1:${port}${path}`)).text();
}

test('doctor examines it with its primary: all promises hold', async () => {
  const [primary, standby] = pair.members;
  const lines: string[] = [];
  const print = (text: string) => void lines.push(text);
  const status = await doctor(
    { database: primary.jdbcUrl(database), replica: standby.jdbcUrl(database), format: 'json' },
    testTerminal('/', print, print, noColours),
    { DATASOURCE_URL_USER: primary.user, DATASOURCE_URL_PASSWORD: primary.password },
  );
  const { replica } = JSON.parse(lines.join('\n')) as { replica: { findings: unknown[] } };
  expect(replica.findings).toHaveLength(8);
  expect(lines.join('\n')).not.toContain('"holds": false');
  expect(status).toBe(0);
});

test('it lags: a request reads what it has written, others read older rows', async () => {
  const [, standby] = pair.members;
  expect(await get('/where')).toEqual({ standby: true });
  await standby.exec('postgres', 'select pg_wal_replay_pause()');
  expect((await ask(service.url, 'POST', '/entries/new')).status).toBe(201);
  expect(await get('/entries/new')).toBe(404);
  expect(await get('/visits/new')).toEqual({ tag: 'new', amount: 1 });
  for (let visit = 1; visit <= 10; visit += 1)
    expect(await get('/visits/old')).toEqual({ tag: 'old', amount: visit });
  expect(await get('/entries/old')).toEqual({ tag: 'old', amount: 0 });
  await standby.exec('postgres', 'select pg_wal_replay_resume()');
  await askUntil(200, service.url, '/entries/new');
  await caughtUp();
  expect(await get('/entries/old')).toEqual({ tag: 'old', amount: 10 });
});

test('it cancels a read that blocks its replay: the primary runs it', async () => {
  const [primary, standby] = pair.members;
  await standby.exec('postgres', 'alter system set max_standby_streaming_delay = 0');
  await standby.exec('postgres', 'select pg_reload_conf()');
  const slow = get('/slow');
  const running = `select 1 from pg_stat_activity where state = 'active' and query like '%20000000%' and pid <> pg_backend_pid()`;
  await expect.poll(() => standby.exec(database, running)).toHaveLength(1);
  await primary.exec(database, 'alter table entry add column note text');
  expect(await slow).toEqual({ tag: 'old', standby: false });
  await expect
    .poll(() => management('/metrics'))
    .toContain('datasource_replica_moved_reads_total{datasource="main"} 1\n');
  expect(await get('/where')).toEqual({ standby: true });
});

test('it is killed under load and comes back: no request fails, the service stays ready', async () => {
  const [, standby] = pair.members;
  const statuses = new Set<number>();
  let isOver = false;
  let requests = 0;
  const clients = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      statuses.add((await ask(service.url, 'GET', '/entries/old')).status);
      requests += 1;
    }
  });
  const more = async (count: number): Promise<void> => {
    const before = requests;
    await expect.poll(() => requests, { timeout: 30_000 }).toBeGreaterThan(before + count);
  };
  await more(200);
  await standby.kill();
  await more(200);
  expect(await get('/where')).toEqual({ standby: false });
  const replicas = async () => JSON.parse(await management('/health/ready')) as unknown;
  await expect
    .poll(replicas, { timeout: 10_000 })
    .toEqual({ status: 'ready', datasources: { main: 'reachable' }, replicas: { main: 'not used' } });
  await standby.rejoin();
  await expect
    .poll(replicas, { timeout: 40_000 })
    .toMatchObject({ status: 'ready', replicas: { main: 'used' } });
  expect(await get('/where')).toEqual({ standby: true });
  isOver = true;
  await Promise.all(clients);
  console.log(
    `The replica was killed and came back: ${requests} requests, statuses ${[...statuses].join(', ')}`,
  );
  expect([...statuses]).toEqual([200]);
  expect(service.printed).toMatch(/Replica: READs run on the primary for now: .*ECONNREFUSED/);
  expect(service.printed).toContain('Replica: READs run there again.');
});

test('it freezes: reads that wait there run on the primary after the detection time', async () => {
  const [, standby] = pair.members;
  for (let round = 0; round < 20; round += 1) expect(await get('/where')).toEqual({ standby: true });
  await standby.freeze();
  const start = performance.now();
  const all = await Promise.all(Array.from({ length: 40 }, () => get('/where')));
  console.log(`The replica was frozen: reads took at most ${Math.round(performance.now() - start)} ms`);
  expect(all).toEqual(Array(40).fill({ standby: false }));
  await standby.thaw();
  await expect.poll(() => get('/where'), { timeout: 40_000 }).toEqual({ standby: true });
});

test('it becomes the primary: reads and writes go there', async () => {
  const [primary, standby] = pair.members;
  expect(await get('/where')).toEqual({ standby: true });
  await primary.kill();
  await standby.promote();
  await expect
    .poll(async () => (await ask(service.url, 'POST', '/entries/later')).status, { timeout: 30_000 })
    .toBe(201);
  expect(await get('/entries/later')).toEqual({ tag: 'later', amount: 0 });
  expect(await get('/visits/later')).toEqual({ tag: 'later', amount: 1 });
});
