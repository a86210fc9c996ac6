/** State left in a session by a request, through user code or database code, is never visible to another request. */
import type { Knex } from 'knex';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openOwnCode, ownCode, type OwnContext } from '../../../runtime/code/own-code.js';
import { ownDatabases } from '../../../runtime/code/own-databases.js';
import type { Call } from '../../../runtime/handler/call.js';
import type { Json } from '../../../runtime/handler/json.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import { any } from '../../../runtime/validate/index.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { everyOf } from '../../helpers/runs.js';
import { testCall } from '../../helpers/test-call.js';
import { openMariadb, openPostgres } from './open-datasource.js';
import { mysqlStates, postgresStates, settingsOf } from './session-state.js';

const prepared = {
  postgresql: `
    CREATE TABLE place (id int); CREATE TABLE other_place (id int); CREATE SEQUENCE state_numbers;
    CREATE SCHEMA state_schema; CREATE TABLE state_schema.place AS SELECT 1 AS id;
    DO $$ BEGIN CREATE ROLE state_other; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
  mysql: `
    CREATE TABLE place (id INT); CREATE TABLE other_place (id INT); CREATE SEQUENCE state_numbers;
    CREATE TABLE numbered (id INT AUTO_INCREMENT PRIMARY KEY, note INT);
    CREATE OR REPLACE DATABASE state_other; CREATE TABLE state_other.place AS SELECT 1 AS id;
    CREATE OR REPLACE ROLE state_role`,
};

const before = process.listeners('unhandledRejection');

beforeAll(() => {
  openOwnCode(pino({ enabled: false }));
});

afterAll(() => {
  process.removeAllListeners('unhandledRejection');
  for (const listener of before) process.on('unhandledRejection', listener);
});

describe.each([
  { name: 'PostgreSQL', openIt: openPostgres, states: postgresStates, kind: 'postgresql' as const },
  { name: 'MariaDB', openIt: openMariadb, states: mysqlStates, kind: 'mysql' as const },
])('$name', ({ openIt, states, kind }) => {
  let datasource: DatabaseDatasource;
  let server: AttachedServer;
  let database: string;

  beforeAll(async () => {
    // Each request uses the connection of the previous one.
    ({ datasource, server, database } = await openIt('session_state', { pool: { min: 0, max: 1 } }));
    await server.exec(database, prepared[kind]);
  });

  afterAll(async () => {
    await datasource.close(performance.now() + 1000);
    await server.exec(
      database,
      kind === 'mysql' ? 'DROP DATABASE state_other; DROP ROLE state_role' : 'DROP ROLE state_other',
    );
  });

  /** The result of the last statement on the next connection, which is reset afterwards. */
  async function seen(...texts: readonly string[]): Promise<unknown> {
    const { connections } = datasource.use();
    const connection = await connections.lease(performance.now() + 5000);
    connection.isSuspect = true;
    try {
      let result: unknown;
      for (const text of texts)
        result = await connection.session.passOn((client) => queried(client, text)).catch(() => 'an error');
      return result;
    } finally {
      // The test does not look for open transactions.
      await connection.command('rollback', performance.now() + 5000).catch(() => undefined);
      connections.release(connection);
    }
  }

  /** Runs the statements on one connection in user code. */
  function byCode(texts: readonly string[], call: Call): Promise<Json> {
    return onDatabase(async (db) => {
      const { client } = db as unknown as { readonly client: { acquireConnection(): Promise<unknown> } };
      const connection = await client.acquireConnection();
      for (const text of texts) await db.raw(text).connection(connection);
      return null;
    }, call);
  }

  function onDatabase(work: (db: Knex) => Promise<unknown>, call: Call): Promise<Json> {
    const called = ownCode<null, Json, OwnContext>({
      name: 'leaves',
      run: ((_: null, { datasources }: OwnContext) =>
        work((datasources as { readonly db: Knex }).db)) as unknown as () => Json,
      returns: any(),
      datasources: ownDatabases({ db: datasource }),
    });
    return called(call, 'step');
  }

  /** Runs the statements in a DO block or a procedure. */
  async function bySql(texts: readonly string[], call: Call): Promise<void> {
    const lines = texts.map((text) =>
      kind === 'mysql' ? `EXECUTE IMMEDIATE ${JSON.stringify(text)};` : `EXECUTE $text$${text}$text$;`,
    );
    const body = `BEGIN ${lines.join(' ')} END`;
    if (kind === 'mysql') await server.exec(database, `CREATE OR REPLACE PROCEDURE leaves() ${body}`);
    const statement = datasource.update({
      ...{ operation: 'POST /leave', fulfillment: 'left', runsUnknownCode: true, atomic: false },
      sql: kind === 'mysql' ? 'CALL leaves()' : `DO $body$ ${body} $body$`,
    });
    await statement(call);
  }

  const ways: readonly [string, (texts: readonly string[]) => Promise<unknown>][] = [
    ['user code', (texts) => byCode(texts, testCall())],
    ['user code in transaction: true', (texts) => inTransaction(testCall(), (call) => byCode(texts, call))],
    [
      'a transaction of user code',
      (texts) =>
        onDatabase(async (db) => {
          await db.transaction(async (inner) => {
            for (const text of texts) await inner.raw(text);
          });
          return null;
        }, testCall()),
    ],
    ['code of the database', (texts) => bySql(texts, testCall())],
    [
      'code of the database in transaction: true',
      (texts) => inTransaction(testCall(), (call) => bySql(texts, call)),
    ],
  ];

  test.each(states.filter((_, index) => index % everyOf(2) === 0))('$name', async ({ leave, look }) => {
    const expected = await seen(look);
    // The query can detect the state.
    expect(await seen(...leave, look)).not.toEqual(expected);
    let done = 0;
    for (const [way, run] of ways) {
      done += await run(leave).then(
        () => 1,
        () => 0,
      );
      expect({ way, found: await seen(look) }).toEqual({ way, found: expected });
    }
    // Some ways do not allow some statements, but at least one way allows them.
    expect(done).toBeGreaterThan(0);
  });

  test('every setting of a session', async () => {
    const { all, changes } = settingsOf[kind];
    const texts = (await server.exec(database, changes)).map((row) => String(row['change']));
    const tried = texts.filter((_, index) => index % everyOf(4) === 0);
    const expected = await seen(all);
    expect(await seen(...tried, all)).not.toEqual(expected);
    let done = 0;
    for (const [index, text] of tried.entries())
      done += await (ways[index % ways.length] as (typeof ways)[number])[1]([text]).then(
        () => 1,
        () => 0,
      );
    expect(done).toBeGreaterThan(tried.length / 2);
    expect(await seen(all)).toEqual(expected);
  });
});

interface Client {
  query(text: string, done: (error: unknown, result: unknown) => void): void;
}

/** Runs a statement and returns its rows, with either driver. */
function queried(client: unknown, text: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    (client as Client).query(text, (error, result) => {
      if (error instanceof Error) reject(error);
      else resolve(Array.isArray(result) ? result : ((result as { rows?: unknown }).rows ?? 'no rows'));
    });
  });
}
