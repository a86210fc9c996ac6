/** A column's type changes while the service runs: from the next statement on, values are written in the form of the new type. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selectText, typesOf } from '../../../compiler/read/sql/facts/mysql-columns.js';
import { parseText } from '../../../compiler/read/sql/parse/parse-text.js';
import { reply } from '../../../runtime/responses/reply.js';
import type { Json } from '../../../runtime/handler/json.js';
import type { DatabaseKind } from '../../../runtime/sql/jdbc-url.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import { everyOf } from '../../helpers/runs.js';
import { testCall } from '../../helpers/test-call.js';
import { open, openMariadb, openPostgres, read, update, type TestDatasource } from './open-datasource.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';

/** The old and new types, a value written before the change, and one written after it. */
const changes: Readonly<Record<DatabaseKind, readonly (readonly [string, string, Json, Json])[]>> = {
  postgresql: [
    ['jsonb', 'text', { a: 1 }, 'str'],
    ['json', 'text', 'a', 'str'],
    ['bytea', 'text', 'aGVsbG8=', 'aGVsbG8='],
    ['text[]', 'text', ['a'], ['a', 'b']],
    ['int[]', 'text', [1], [1, 2]],
    ['date', 'timestamp', '2026-03-01', '2026-03-01T10:00:00'],
    ['timestamp', 'timestamptz', '2026-03-01T10:00:00', '2026-03-01T10:00:00+02:00'],
    ['timestamptz', 'text', '2026-03-01T10:00:00Z', '2026-03-01T10:00:00Z'],
    ['boolean', 'text', true, 't'],
    ['numeric', 'text', 1, '1e3'],
    ['text', 'jsonb', '{}', 'str'],
    ['text', 'bytea', 'aGVsbG8=', 'aGVsbG8='],
    ['int', 'bigint', 1, 9007199254740991],
  ],
  mysql: [
    ['json', 'text', { a: 1 }, 'str'],
    ['blob', 'text', 'aGVsbG8=', 'aGVsbG8='],
    ['bit(8)', 'varchar(40)', '00000101', '00000101'],
    ['varchar(40)', 'varbinary(40)', 'aGVsbG8=', 'aGVsbG8='],
    ['datetime', 'varchar(40)', '2026-03-01T10:00:00', '2026-03-01T10:00:00Z'],
    ['boolean', 'varchar(40)', 'true', 'true'],
    ['text', 'json', '{}', 'str'],
    ['varchar(40)', 'bit(8)', '7', '00000101'],
  ],
};

/** Statements that write a value. */
const ways = {
  insert: 'insert into t (v) values (?)',
  'insert of a query': 'insert into t (v) select ? from one',
  update: 'update t set v = ?',
  'with a result': 'insert into t (v) values (?) returning *',
  'with another table': 'update t set v = ? from one where one.id = t.id',
};
const waysOfPostgres = {
  ...ways,
  'with another result': 'insert into t (v) values (?) returning id',
  'of a read': 'insert into t (v) values (?) returning id',
  'with a comment after its result': 'insert into t (v) values (?) returning id -- its key',
  'inside of a query': 'with changed as (update t set v = ? returning id) select id from changed',
  'inside of another': 'with changed as (update t set v = ? returning id) update one set id = 1 returning id',
};
const waysOfMysql = { ...ways, 'with another table': 'update t join one on one.id = t.id set v = ?' };

describe.each<DatabaseKind>(['postgresql', 'mysql'])('%s', (kind) => {
  let opened: TestDatasource;
  let pooled: TestDatasource;

  beforeAll(async () => {
    const make = kind === 'mysql' ? openMariadb : openPostgres;
    opened = await make('changed_columns', { pool: { max: 1 } });
    const { server, database } = opened;
    // Simulates a pooler that does not keep prepared statements.
    const another = (kind === 'mysql' ? mysql : postgres)({ name: 'pooled', pool: { max: 1 } });
    pooled = {
      ...opened,
      datasource: open(another, server, database, kind === 'mysql' ? '' : '?prepareThreshold=0'),
    };
    await update(opened.datasource, 'create table one (id int)');
    await update(opened.datasource, 'insert into one values (1)');
  });
  afterAll(() =>
    Promise.all([opened, pooled].map(({ datasource }) => datasource.close(performance.now() + 1000))),
  );

  const all = kind === 'mysql' ? waysOfMysql : waysOfPostgres;
  const modes = ['alone', 'in a transaction', 'in a transaction that is not repeated', 'pooled'] as const;

  const cases = changes[kind].flatMap((change, index) =>
    Object.entries(all).flatMap(([way, text]) => modes.map((mode) => ({ change, way, text, mode, index }))),
  );
  // An odd step, because the number of modes is even.
  test.each(cases.filter((_, index) => index % everyOf(21) === 0))(
    '$change.0 to $change.1: $way, $mode',
    async ({ change, text, mode, index, way }) => {
      const [from, to, before, after] = change;
      const table = `t_${index}_${Object.keys(all).indexOf(way)}_${modes.indexOf(mode)}`;
      const { datasource } = mode === 'pooled' ? pooled : opened;
      const { server, database } = opened;
      const own = text.replaceAll(/\bt\b/g, table);
      const parameterTypes = kind === 'mysql' ? selectText(typesOf(parseText(own, kind)).written) : undefined;
      const definition = {
        ...{ operation: 'POST /test', fulfillment: 'change' },
        sql: kind === 'mysql' ? own : own.replace('?', '$1'),
        ...(parameterTypes === undefined ? {} : { parameterTypes }),
      };
      const write =
        way === 'of a read'
          ? datasource.read({ ...definition, retry: false })
          : datasource.update(definition);
      const run = async (value: Json): Promise<void> => {
        if (!mode.startsWith('in a')) await write(testCall(), [value]);
        else
          await inTransaction(
            testCall(),
            async (call) => {
              await write(call, [value]);
              return reply(204);
            },
            { retryOnConflict: mode !== 'in a transaction that is not repeated' },
          );
      };
      await server.exec(
        database,
        `create table ${table} (id int default 1, v ${from}); insert into ${table} (id) values (1)`,
      );
      for (let time = 0; time < 3; time += 1) await run(before);
      await server.exec(database, `delete from ${table}`);
      await server.exec(
        database,
        kind === 'mysql'
          ? `alter table ${table} modify v ${to}`
          : `alter table ${table} alter v type ${to} using null`,
      );
      await server.exec(database, `insert into ${table} (id) values (1)`);
      // PostgreSQL refuses a string for these types before anything is written; a transaction that is not repeated reports the error once.
      const isRefused = mode === 'in a transaction that is not repeated' && /^(?:jsonb|bytea)$/.test(to);
      if (isRefused) await expect(run(after)).rejects.toMatchObject({ status: 503 });
      await run(after);
      const stored = await read(opened.datasource, `select v from ${table} where v is not null`);

      await server.exec(
        database,
        `create table new_${table} (id int default 1, v ${to}); insert into new_${table} (id) values (1)`,
      );
      const right = datasource.update({
        ...{ operation: 'POST /test', fulfillment: 'change' },
        sql: (kind === 'mysql' ? own : own.replace('?', '$1')).replaceAll(table, `new_${table}`),
        ...(parameterTypes === undefined
          ? {}
          : { parameterTypes: parameterTypes.replaceAll(table, `new_${table}`) }),
      });
      await right(testCall(), [after]);
      expect(stored).toEqual(await read(opened.datasource, `select v from new_${table} where v is not null`));
      expect(stored).toHaveLength(1);
    },
  );
});
