/** Failures of PostgreSQL connections: unreadable data, lost statements, a different server, refused RETURNING, TLS. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { postgres } from '../../../runtime/postgres/postgres.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import type { Call } from '../../../runtime/handler/call.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import type { DatabaseServer } from '../../helpers/database-server.js';
import { startPostgres } from '../../helpers/postgres-server.js';
import { startProxy } from '../../helpers/proxy.js';
import { testCall } from '../../helpers/test-call.js';
import { read, update } from './open-datasource.js';

let server: DatabaseServer;
let other: DatabaseServer;
const opened: DatabaseDatasource[] = [];

beforeAll(async () => {
  [server, other] = await Promise.all([startPostgres(), startPostgres()]);
});

afterAll(async () => {
  await Promise.all(opened.map((datasource) => datasource.close(performance.now() + 1000)));
  await Promise.all([server.stop(), other.stop()]);
});

/** Opens a datasource with one connection, so that each statement sees the state left by the previous one. */
function open(port = server.port, user = server.user, options = ''): DatabaseDatasource {
  const datasource = postgres({ name: 'single', pool: { min: 0, max: 1 } });
  const url = `jdbc:postgresql://127.0.0.1:${port}/postgres${options}`;
  datasource.open({ url, user, password: server.password });
  opened.push(datasource);
  return datasource;
}

/** A row that claims a hundred columns but contains none: the driver reads beyond the end of the message. */
const garbled = Buffer.from([0x44, 0, 0, 0, 6, 0, 100]);

test('a result that cannot be read costs its connection, and not the process', async () => {
  const proxy = await startProxy(server.port);
  const datasource = open(proxy.port);
  try {
    expect(await read(datasource, 'select 1 as v')).toEqual([{ v: 1 }]);
    proxy.inject(garbled);
    await expect.poll(() => datasource.connections().free).toBe(0);
    expect(await read(datasource, 'select 2 as v')).toEqual([{ v: 2 }]);
    // The failure occurs during a statement, so its outcome is unknown.
    const change = update(datasource, `select pg_sleep(20), 'in the midst'`);
    const ended = expect(change).rejects.toMatchObject({
      status: 500,
      message: expect.stringContaining('unknown whether') as unknown,
    });
    const running = `select 1 as v from pg_stat_activity where state = 'active' and query like '%in the midst%' and pid <> pg_backend_pid()`;
    await expect.poll(() => server.exec('postgres', running)).toHaveLength(1);
    proxy.inject(garbled);
    await ended;
    expect(await read(datasource, 'select 3 as v')).toEqual([{ v: 3 }]);
  } finally {
    await proxy.close();
  }
});

test('a statement that the server has forgotten is prepared again', async () => {
  const datasource = open();
  const sql = 'select $1::int as v';
  expect(await read(datasource, sql, [1])).toEqual([{ v: 1 }]);
  await update(datasource, 'deallocate all');
  expect(await read(datasource, sql, [2])).toEqual([{ v: 2 }]);
  expect(await read(datasource, sql, [3])).toEqual([{ v: 3 }]);
});

test('types are those of the connected server', async () => {
  // The OID of an array type on one server is that of another type on the other server.
  const schema = `create type kind as enum ('a', 'b'); create table kinds (one kind, many kind[]); insert into kinds values ('a', '{a,b}')`;
  await other.exec('postgres', 'select lo_creat(-1)');
  const numbers = await Promise.all(
    [server, other].map(async (each) => {
      await each.exec('postgres', schema);
      const [row] = await each.exec(
        'postgres',
        `select 'kind'::regtype::oid::int as one, 'kind[]'::regtype::oid::int as many`,
      );
      return row;
    }),
  );
  const [first, second] = numbers[0]?.['one'] === numbers[1]?.['many'] ? [server, other] : [other, server];
  const [ofFirst, ofSecond] = first === server ? numbers : [numbers[1], numbers[0]];
  expect(ofSecond?.['many']).toBe(ofFirst?.['one']);
  let proxy = await startProxy(first.port);
  const { port } = proxy;
  const datasource = open(port);
  const rows = [{ one: 'a', many: ['a', 'b'] }];
  expect(await read(datasource, 'select * from kinds')).toEqual(rows);
  await proxy.close();
  proxy = await startProxy(second.port, port);
  try {
    expect(await read(datasource, 'select * from kinds')).toEqual(rows);
    expect(await read(datasource, 'select * from kinds where many = $1', [['a', 'b']])).toEqual(rows);
  } finally {
    await proxy.close();
  }
});

test('where RETURNING is refused, the statement runs without it, and nothing else of a transaction is lost', async () => {
  await server.exec(
    'postgres',
    `create role writer login password 'p@ss/w:rd#1';
     create table journal (id int primary key); grant insert on journal to writer;
     create table base (id int); create view ruled as select id from base;
     create rule ruled_insert as on insert to ruled do instead insert into base values (new.id);
     grant insert on ruled, base to writer; create table plain (id int); grant all on plain to writer`,
  );
  const datasource = open(server.port, 'writer');
  const inserting = (table: string) =>
    datasource.update({
      operation: 'POST /x',
      fulfillment: table,
      sql: `insert into ${table} values ($1)`,
      returning: 'returning *',
    });
  for (const table of ['journal', 'ruled']) {
    const statement = inserting(table);
    const plain = inserting('plain');
    await inTransaction(testCall(), async (call) => {
      expect(await plain(call, [1])).toEqual([{ id: 1 }]);
      expect(await statement(call, [1])).toEqual([]);
      expect(await statement(call, [2])).toEqual([]);
      return { status: 200, body: null };
    });
    expect(await statement(testCall(), [3])).toEqual([]);
    const source = table === 'ruled' ? 'base' : table;
    expect(await server.exec('postgres', `select id from ${source} order by id`)).toEqual([
      { id: 1 },
      { id: 2 },
      { id: 3 },
    ]);
  }
  expect(await server.exec('postgres', 'select count(*)::int as n from plain')).toEqual([{ n: 2 }]);
  // A statement that is refused both with and without RETURNING remains an error.
  await expect(inserting('kinds')(testCall(), ['a'])).rejects.toMatchObject({ status: 500 });
});

/** Forwards only connections that are encrypted from their first bytes; `begun` records the first bytes of all connections. */
async function startGuard(port: number): Promise<{ port: number; begun: string[]; close(): void }> {
  const begun: string[] = [];
  const guard = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (first) => {
      begun.push(first.subarray(0, 8).toString('hex'));
      if (begun.at(-1) !== sslRequest) {
        socket.destroy();
        return;
      }
      const behind = connect(port, '127.0.0.1');
      behind.on('error', () => socket.destroy()).on('close', () => socket.destroy());
      socket.on('close', () => behind.destroy());
      behind.write(first);
      socket.pipe(behind).pipe(socket);
    });
  });
  guard.listen(0, '127.0.0.1');
  await once(guard, 'listening');
  return { port: (guard.address() as AddressInfo).port, begun, close: () => guard.close() };
}

/** The bytes sent by a client before PostgreSQL's TLS handshake. */
const sslRequest = '0000000804d2162f';

test('a statement whose time is over is ended over TLS where the connection has it: nothing goes in clear text', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'apikiln-certificate-'));
  const [key, certificate] = [join(folder, 'key'), join(folder, 'certificate')];
  try {
    const names = ['-subj', '/CN=localhost', '-days', '2', '-nodes', '-keyout', key, '-out', certificate];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...names], { stdio: 'ignore' });
    const [row] = await server.exec('postgres', 'show data_directory');
    const { uid, gid } = statSync(String(row?.['data_directory']));
    for (const path of [folder, key, certificate]) chownSync(path, uid, gid);
    await server.exec('postgres', `alter system set ssl_key_file = '${key}'`);
    await server.exec('postgres', `alter system set ssl_cert_file = '${certificate}'`);
    await server.exec('postgres', 'alter system set ssl = on');
    const rules = join(String(row?.['data_directory']), 'pg_hba.conf');
    writeFileSync(rules, `hostnossl all guarded 127.0.0.1/32 reject\n${readFileSync(rules, 'utf8')}`);
    await server.exec('postgres', `create role guarded login password '${server.password}'`);
    await server.exec('postgres', 'select pg_reload_conf()');
    await expect.poll(() => server.exec('postgres', 'show ssl')).toEqual([{ ssl: 'on' }]);
    await expect(read(open(server.port, 'guarded'), 'select 1 as v')).rejects.toMatchObject({ status: 503 });
    const guard = await startGuard(server.port);
    const datasource = open(guard.port, 'guarded', '?sslmode=require');
    expect(
      await read(datasource, 'select ssl as encrypted from pg_stat_ssl where pid = pg_backend_pid()'),
    ).toEqual([{ encrypted: true }]);
    const call = { ...testCall(), deadline: performance.now() + 3000 };
    const definition = { operation: 'GET /x', fulfillment: 'x', sql: `select pg_sleep(20), 'overdue'` };
    await expect(datasource.read(definition)(call, [])).rejects.toMatchObject({ status: 504 });
    const running = `select 1 as v from pg_stat_activity where state = 'active' and query like '%overdue%' and pid <> pg_backend_pid()`;
    await expect.poll(() => server.exec('postgres', running)).toEqual([]);
    // The connection, and the request to cancel its statement.
    await expect.poll(() => guard.begun).toEqual([sslRequest, sslRequest]);
    guard.close();
  } finally {
    await server.exec('postgres', 'alter system reset all');
    await server.exec('postgres', 'select pg_reload_conf()');
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a schema for each tenant: the parameters of a statement have the types of the tenant’s own table', async () => {
  for (const [schema, type] of [
    ['ta', 'jsonb'],
    ['tb', 'text'],
  ] as const) {
    await server.exec('postgres', `create schema ${schema}`);
    await server.exec('postgres', `create table ${schema}.m (id int, data ${type})`);
    await server.exec('postgres', `insert into ${schema}.m values (1, '{}')`);
  }
  const datasource = open();
  const site = { operation: 'PUT /m', fulfillment: 'm' };
  await server.exec(
    'postgres',
    "create function enter(text) returns text language sql as $$ select set_config('search_path', $1, true) $$",
  );
  const change = datasource.update({ ...site, sql: 'update m set data = $1 where id = 1' });
  const write = async (sql: string, tenant: string, value: string) => {
    const enter = datasource.read({ ...site, sql, retry: false });
    const run = async (call: Call) => {
      await enter(call, [tenant]);
      await change(call, [value]);
    };
    await inTransaction(testCall(), run, { retryOnConflict: true });
    return (await read(datasource, `select data::text as data from ${tenant}.m`))[0]?.['data'];
  };
  const set = "select set_config('search_path', $1, true)";
  for (const tenant of ['ta', 'tb', 'ta', 'tb', 'tb', 'ta'])
    expect(await write(set, tenant, 'x')).toBe(tenant === 'ta' ? '"x"' : 'x');
  // The function hides the change of the search path: a string sent for a jsonb column is refused, and the transaction runs again.
  await write('select public.enter($1)', 'tb', 'y');
  expect(await write('select public.enter($1)', 'ta', 'y')).toBe('"y"');
});

describe('in a transaction', () => {
  const site = { operation: 'POST /x', fulfillment: 'x' };
  const kept = `select statement, prepare_time::text as since from pg_prepared_statements where statement like '%numbered%'`;

  beforeAll(() => server.exec('postgres', 'create table numbered (id int, note text)'));
  beforeEach(() => server.exec('postgres', 'truncate numbered'));

  test('a statement without columns is prepared once, one with columns each time', async () => {
    const datasource = open();
    const insert = datasource.update({ ...site, sql: 'insert into numbered values ($1)' });
    const select = datasource.read({ ...site, sql: 'select * from numbered where id = $1' });
    const looks = datasource.read({ ...site, sql: kept });
    const run = (id: number) =>
      inTransaction(testCall(), async (call) => {
        await insert(call, [id]);
        expect(await select(call, [id])).toMatchObject([{ id }]);
        return looks(call);
      });
    const first = await run(1);
    expect(first).toMatchObject([{ statement: 'insert into numbered values ($1)' }]);
    expect(await run(2)).toEqual(first);
  });

  test('one that the server has forgotten is a conflict: the transaction runs again, and is done once', async () => {
    const datasource = open();
    const insert = datasource.update({ ...site, sql: 'insert into numbered values ($1)' });
    const run = (id: number) =>
      inTransaction(testCall(), (call) => insert(call, [id]), { retryOnConflict: true });
    await run(1);
    await update(datasource, 'deallocate all');
    await run(2);
    await run(3);
    expect(await server.exec('postgres', 'select id from numbered order by id')).toEqual(
      [1, 2, 3].map((id) => ({ id })),
    );
  });

  test('one whose table has got another column type is a conflict once', async () => {
    const datasource = open();
    const change = datasource.update({ ...site, sql: 'insert into numbered (id, note) values (1, $1)' });
    const run = (note: string) =>
      inTransaction(testCall(), (call) => change(call, [note]), { retryOnConflict: true });
    await run('{"a":1}');
    await server.exec('postgres', 'alter table numbered alter note type jsonb using note::jsonb');
    await run('text');
    expect(await server.exec('postgres', 'select note::text as note from numbered order by 1')).toEqual([
      { note: '"text"' },
      { note: '{"a": 1}' },
    ]);
  });
});
