/** Datasources with a replica. Here it is a second database with different rows, so that each row shows where it was read. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import { get, type Row } from '../../../runtime/handler/json.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { rowsOfCaller } from '../../../runtime/postgres/rows-of-caller.js';
import { callOperation } from '../../../runtime/references/reference.js';
import { streamRows } from '../../../runtime/responses/stream-rows.js';
import {
  readConnectionSettings,
  type ConnectionSettings,
  type DatabaseDefinition,
} from '../../../runtime/sql/connection-settings.js';
import type { StatementDefinition } from '../../../runtime/sql/statement-definition.js';
import type { Statement } from '../../../runtime/sql/statement.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { readEach, startRead } from '../../../runtime/sql/reads-ahead.js';
import { readReplicaSettings } from '../../../runtime/sql/replica-settings.js';
import { severalServers } from '../../../runtime/sql/several-servers.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';

const database = 'of_primary';
const ofReplica = 'of_replica';

/** The name of each database in its rows. */
const rows = [
  [database, 'primary'],
  [ofReplica, 'replica'],
] as const;

/** A function with a side effect, hidden from the READ by a view. */
const effects = {
  PostgreSQL: `
    CREATE FUNCTION note() RETURNS text LANGUAGE sql AS $$ INSERT INTO entry VALUES (99, 'noted') RETURNING tag $$;
    CREATE VIEW noted AS SELECT note() AS tag`,
  MariaDB: `
    CREATE FUNCTION note() RETURNS varchar(20) MODIFIES SQL DATA
    BEGIN INSERT INTO entry VALUES (99, 'noted'); RETURN 'noted'; END;
    CREATE VIEW noted AS SELECT note() AS tag`,
};

describe.each([
  {
    name: 'PostgreSQL',
    shared: sharedPostgres,
    make: postgres,
    one: '$1',
    invalid: 'SELECT CAST($1::text AS integer) AS tag',
    slow: "SELECT 'x' AS tag FROM pg_sleep(1)",
  },
  {
    name: 'MariaDB',
    shared: sharedMariadb,
    make: mysql,
    one: '?',
    invalid: "SELECT REGEXP_REPLACE('a', ?, '') AS tag",
    slow: "SELECT IF(SLEEP(1), 'y', 'x') AS tag",
  },
] as const)('$name', ({ name, shared, make, one, invalid, slow }) => {
  let server: AttachedServer;
  let proxy: Proxy;
  let datasource: DatabaseDatasource;
  let warnings: string[];

  beforeAll(async () => {
    server = await shared();
  });

  beforeEach(async () => {
    for (const [name, tag] of rows) {
      await server.createDatabase(name);
      await server.exec(
        name,
        `CREATE TABLE entry (id integer PRIMARY KEY, tag varchar(20)); INSERT INTO entry VALUES (1, '${tag}'), (2, '${tag}')`,
      );
    }
    proxy = await startProxy(server.port);
    open();
  });

  afterEach(async () => {
    await datasource.close(performance.now());
    await proxy.close();
  });

  function open(definition: Partial<DatabaseDefinition> = {}, port = proxy.port): void {
    datasource = make({ name: 'main', ...definition });
    warnings = [];
    const { user, password } = server;
    const replicaUrl = server.jdbcUrl(ofReplica).replace(`:${server.port}`, `:${port}`);
    datasource.open(
      { url: server.jdbcUrl(database), user, password, replicaUrl },
      (warning) => warnings.push(warning),
      severalServers,
    );
  }

  const asks = (): Call => ({ ...testCall(20_000), mayLag: true });

  function read(sql: string, more: Partial<StatementDefinition> = {}): Statement {
    return datasource.read({ operation: 'GET /test', fulfillment: 'rows', sql, ...more });
  }

  const tagOf = (rows: readonly Row[]): unknown => rows[0]?.['tag'];
  const byId = `SELECT tag FROM entry WHERE id = ${one}`;
  const first = async (call: Call): Promise<unknown> => tagOf(await read(byId)(call, [1]));
  const change = (call: Call) =>
    datasource.update({
      operation: 'GET /test',
      fulfillment: 'change',
      sql: `UPDATE entry SET tag = 'changed' WHERE id = 1`,
    })(call);

  test('a READ of a request that only asks runs there, any other on the primary', async () => {
    expect(await first(asks())).toBe('replica');
    expect(await first(testCall())).toBe('primary');
    const some = await Promise.all(Array.from({ length: 50 }, () => first(asks())));
    expect(new Set(some)).toEqual(new Set(['replica']));
    expect(datasource.replica()).toMatchObject({ isUsed: true, moved: 0 });
    expect(warnings).toEqual([]);
  });

  test('a call that has changed something reads what it has written, also in operations that it calls', async () => {
    const call = asks();
    expect(await first(call)).toBe('replica');
    await callOperation(call, async (inner) => {
      await change(inner);
      return { status: 200, body: null };
    });
    expect(await first(call)).toBe('changed');
    expect(await first(asks())).toBe('replica');
  });

  test('a change that fails is one', async () => {
    const call = asks();
    const twice = datasource.update({
      operation: 'GET /test',
      fulfillment: 'change',
      sql: `INSERT INTO entry VALUES (1, 'twice')`,
    });
    await expect(twice(call)).rejects.toMatchObject({ status: 409 });
    expect(await first(call)).toBe('primary');
  });

  test('a READ that may have effects, and a transaction, run on the primary, and so does the rest of their call', async () => {
    const call = asks();
    expect(tagOf(await read(byId, { retry: false })(call, [1]))).toBe('primary');
    expect(await first(call)).toBe('primary');
    const other = asks();
    expect(await inTransaction(other, first)).toBe('primary');
    expect(await first(other)).toBe('primary');
  });

  test('a READ that turns out to change something runs on the primary, once and from then on', async () => {
    for (const one of [database, ofReplica]) await server.exec(one, effects[name]);
    const notes = read('SELECT tag FROM noted');
    expect(await notes(asks())).toEqual([{ tag: 'noted' }]);
    const there = (one: string) => server.exec(one, 'SELECT tag FROM entry WHERE id = 99');
    expect(await there(database)).toEqual([{ tag: 'noted' }]);
    expect(await there(ofReplica)).toEqual([]);
    expect(datasource.replica()).toMatchObject({ isUsed: true, moved: 1 });
    await server.exec(database, 'DELETE FROM entry WHERE id = 99');
    expect(await notes(asks())).toEqual([{ tag: 'noted' }]);
    expect(datasource.replica()).toMatchObject({ moved: 1 });
  });

  test('reads that are sent ahead run there, and after a change not', async () => {
    const statement = read(byId);
    const call = asks();
    const loop = async (): Promise<unknown[]> => {
      const found: unknown[] = [];
      for await (const [, rows] of readEach(statement, call, [1, 2, 1, 2], (id) => [id]))
        found.push(tagOf(rows));
      return found;
    };
    for (let round = 0; round < 5; round += 1) expect(await loop()).toEqual(Array(4).fill('replica'));
    const two = [startRead(statement, call, [1]), startRead(statement, call, [2])];
    expect([tagOf((await two[0]) ?? []), tagOf((await two[1]) ?? [])]).toEqual(['replica', 'replica']);
    await change(call);
    expect(await loop()).toEqual(['changed', 'primary', 'changed', 'primary']);
  });

  test('rows that are passed on while they arrive come from there, and without it from the primary', async () => {
    const rowsOf = async (sql: string): Promise<unknown[]> => {
      const arriving = await streamRows(read(sql), asks()).source.begin();
      const found: unknown[] = [];
      for await (const batch of arriving.batches()) found.push(...batch.map(({ tag }) => tag));
      return found;
    };
    const all = 'SELECT tag FROM entry ORDER BY id';
    expect(await rowsOf(all)).toEqual(['replica', 'replica']);
    await server.exec(ofReplica, 'DROP TABLE entry');
    expect(await rowsOf(all)).toEqual(['primary', 'primary']);
  });

  test('a table that has not arrived there is read on the primary; an invalid value is refused there', async () => {
    await server.exec(ofReplica, 'DROP TABLE entry');
    const call = asks();
    expect(await first(call)).toBe('primary');
    expect(datasource.replica()).toMatchObject({ isUsed: true, moved: 1 });
    await server.exec(
      ofReplica,
      `CREATE TABLE entry (id integer, tag varchar(20)); INSERT INTO entry VALUES (1, 'replica')`,
    );
    expect(await first(call)).toBe('primary');
    expect(await first(asks())).toBe('replica');
    await expect(read(invalid)(asks(), ['('])).rejects.toMatchObject({ status: 400 });
    expect(datasource.replica()).toMatchObject({ moved: 1 });
  });

  test('a connection that is cut while it reads: the primary has the rows', async () => {
    expect(await first(asks())).toBe('replica');
    const pending = read(slow)(asks());
    await expect.poll(() => datasource.replica()?.connections.used).toBe(1);
    proxy.reset();
    expect(await pending).toEqual([{ tag: 'x' }]);
    // The replica is still reachable, and is used again immediately.
    expect(await first(asks())).toBe('replica');
    expect(datasource.replica()).toMatchObject({ isUsed: true, moved: 1 });
  });

  test('nothing listens there: reads run on the primary, and the service is ready', async () => {
    await datasource.close(performance.now());
    await proxy.close();
    open();
    expect(await Promise.all(Array.from({ length: 20 }, () => first(asks())))).toEqual(
      Array(20).fill('primary'),
    );
    expect(datasource.replica()?.isUsed).toBe(false);
    expect(await datasource.isReachable()).toBe(true);
    expect(
      warnings.filter((warning) => warning.startsWith('Replica: READs run on the primary for now:')),
    ).toHaveLength(1);
    expect(warnings.join()).toContain('ECONNREFUSED');
    expect(warnings.join()).not.toContain(server.password);
    // Requests no longer wait for the replica.
    const call = asks();
    expect(await first(call)).toBe('primary');
    expect(call.mayLag).toBe(false);
  });

  test('it drops everything: reads that wait there run on the primary long before their time limit', async () => {
    expect(await first(asks())).toBe('replica');
    for (let round = 0; round < 5; round += 1) await first(asks());
    proxy.blackHole();
    const some = await Promise.all(Array.from({ length: 30 }, () => first(asks())));
    expect(some).toEqual(Array(30).fill('primary'));
    await expect.poll(() => datasource.replica()?.isUsed).toBe(false);
  });
});

test('the settings of the caller and the role hold there, too', async () => {
  const server = await sharedPostgres();
  const role = 'of_replica_user';
  await server.exec(
    'postgres',
    `DO $$ BEGIN CREATE ROLE ${role} NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
  );
  for (const [name, tag] of rows) {
    await server.createDatabase(name);
    await server.exec(
      name,
      `CREATE TABLE entry (id integer, tenant text, tag text);
       INSERT INTO entry VALUES (1, 'a', '${tag}'), (2, 'b', '${tag}');
       ALTER TABLE entry ENABLE ROW LEVEL SECURITY;
       CREATE POLICY own ON entry USING (tenant = current_setting('app.tenant', true));
       GRANT SELECT ON entry TO ${role};`,
    );
  }
  const context = rowsOfCaller({ settings: { 'app.tenant': (call) => get(call.caller, 'tenant') }, role });
  const datasource = postgres({ name: 'main', context });
  const { user, password } = server;
  const settings = { url: server.jdbcUrl(database), user, password, replicaUrl: server.jdbcUrl(ofReplica) };
  datasource.open(settings, undefined, severalServers);
  const all = datasource.read({
    operation: 'GET /test',
    fulfillment: 'rows',
    sql: 'SELECT id, tag, current_user AS role FROM entry ORDER BY id',
  });
  const of = (tenant: string, mayLag: boolean) => all({ ...testCall(), caller: { tenant }, mayLag });
  for (let round = 0; round < 5; round += 1) {
    expect(await of('a', true)).toEqual([{ id: 1, tag: 'replica', role }]);
    expect(await of('b', true)).toEqual([{ id: 2, tag: 'replica', role }]);
    expect(await of('b', false)).toEqual([{ id: 2, tag: 'primary', role }]);
  }
  await datasource.close(performance.now());
});

describe('its URL', () => {
  const main =
    'jdbc:postgresql://db1,db2/shop?sslmode=verify-full&currentSchema=sales&targetServerType=primary';

  function settingsOf(replicaUrl: string, url = main): ConnectionSettings {
    const settings = { url, user: 'shop', password: 'secret', poolMax: 7 };
    const { connection } = readConnectionSettings('postgresql', { name: 'main' }, settings);
    return readReplicaSettings('postgresql', { name: 'main' }, settings, connection, replicaUrl).connection;
  }

  test('says where it is; the rest is as of the primary', () => {
    expect(settingsOf('jdbc:postgresql://db3')).toMatchObject({
      hosts: { all: [{ host: 'db3', port: 5432 }], target: 'any' },
      database: 'shop',
      user: 'shop',
      password: 'secret',
      tls: 'verify-full',
      currentSchema: 'sales',
      shared: 1,
      pool: { max: 6 },
      connectTimeout: 1500,
      isReplica: true,
    });
  });

  test('may say more, and wins', () => {
    const url =
      'jdbc:postgresql://reader:other@db3,db4:5433/copy?sslmode=require&currentSchema=old&connectTimeout=4&targetServerType=preferSecondary';
    expect(settingsOf(url)).toMatchObject({
      hosts: { all: [{ host: 'db3' }, { host: 'db4', port: 5433 }], target: 'preferSecondary' },
      ...{ database: 'copy', user: 'reader', password: 'other', tls: 'encrypt', currentSchema: 'old' },
      connectTimeout: 4000,
    });
  });

  test('the account in the URL of the primary is its own, too', () => {
    const settings = { url: 'jdbc:mariadb://me:mine@db1/shop' };
    const { connection } = readConnectionSettings('mysql', { name: 'main' }, settings);
    expect(
      readReplicaSettings('mysql', { name: 'main' }, settings, connection, 'jdbc:mariadb://db2').connection,
    ).toMatchObject({ user: 'me', password: 'mine', database: 'shop' });
  });

  test.each([
    ['db3:5432/shop', /^its replica: the URL cannot be used: /],
    ['jdbc:mariadb://me:canary@db3/shop', /^its replica: the service was built for PostgreSQL, /],
  ])('a wrong one stops the start: %s', (replicaUrl, expected) => {
    const settings = { url: main, user: 'shop', replicaUrl };
    const open = () => postgres({ name: 'main' }).open(settings, undefined, severalServers);
    expect(open).toThrow(expected);
    expect(open).not.toThrow(/canary/);
  });

  test('what has no effect in it is said once', () => {
    const datasource = postgres({ name: 'main' });
    const replicaUrl = 'jdbc:postgresql://db3?riddle=2';
    const settings = { url: `${main}&mystery=1`, user: 'shop', replicaUrl };
    expect(datasource.open(settings, undefined, severalServers)).toEqual([
      'Options of the URL have no effect: mystery.',
      'Replica: Options of the URL have no effect: riddle.',
    ]);
  });
});
