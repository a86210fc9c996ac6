/** Knex for user code: the same database with the same settings, without effects on an operation's session. */
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { knexOf } from '../../../runtime/knex/knex.js';
import type { Row } from '../../../runtime/handler/json.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { freePort } from '../../helpers/free-port.js';
import { openMariadb, openPostgres, read } from './open-datasource.js';

describe.each([
  { name: 'PostgreSQL', openIt: openPostgres, isPostgres: true },
  { name: 'MariaDB', openIt: openMariadb, isPostgres: false },
])('$name', ({ openIt, isPostgres }) => {
  let datasource: DatabaseDatasource;

  beforeEach(async () => {
    ({ datasource } = await openIt('own_code'));
    await knexOf(datasource).schema.createTable('page', (table) => {
      table.integer('id').primary();
      table.string('title');
    });
  });

  afterEach(async () => {
    await datasource.close(performance.now() + 1000);
  });

  test('reads and writes the same tables, with values bound', async () => {
    const title = "it's; DROP TABLE page";
    await knexOf(datasource)('page').insert({ id: 1, title });
    expect(await knexOf(datasource)('page').where({ title })).toEqual([{ id: 1, title }]);
    expect(await read(datasource, 'select title from page')).toEqual([{ title }]);
  });

  test('a transaction is rolled back as a whole', async () => {
    const run = knexOf(datasource).transaction(async (transaction) => {
      await transaction('page').insert({ id: 1, title: 'a' });
      throw new Error('stop');
    });
    await expect(run).rejects.toThrow('stop');
    expect(await read(datasource, 'select id from page')).toEqual([]);
  });

  test('has the time zone and the time limit of the datasource, and another session than operations', async () => {
    const [zone, limit, change, setting] = isPostgres
      ? [
          "select current_setting('TimeZone') as value",
          "select current_setting('statement_timeout') as value",
          "set apikiln.own = 'mine'",
          "select current_setting('apikiln.own', true) as value",
        ]
      : [
          'select @@time_zone as value',
          'select @@max_statement_time as value',
          "set @own = 'mine'",
          'select @own as value',
        ];
    const db = knexOf(datasource, { max: 1 });
    const valueOf = async (sql: string): Promise<unknown> => {
      const result: unknown = await db.raw(sql);
      const [row] = isPostgres ? (result as { rows: Row[] }).rows : ((result as Row[][])[0] ?? []);
      return row?.value;
    };
    expect(await valueOf(zone)).toBe(isPostgres ? 'UTC' : '+00:00');
    expect(await valueOf(limit)).toEqual(isPostgres ? '30s' : 30);
    await db.raw(change);
    for (let run = 0; run < 20; run += 1) {
      const [row] = await read(datasource, setting);
      expect(row?.value ?? '').toBe('');
    }
  });

  test('is one, and closed with the datasource', async () => {
    const db = knexOf(datasource);
    expect(knexOf(datasource)).toBe(db);
    await datasource.close(performance.now() + 1000);
    await expect(db.raw('select 1')).rejects.toThrow();
  });
});

test('before the service has read its settings there is none', () => {
  expect(() => knexOf(postgres({ name: 'early' }))).toThrow("datasource 'early' has not been opened");
});

test('next to the single connection to an embedded PostgreSQL', async () => {
  const database = await PGlite.create();
  const port = await freePort();
  const server = new PGLiteSocketServer({ db: database, port, host: '127.0.0.1', maxConnections: 5 });
  await server.start();
  const datasource = postgres({ name: 'embedded', pool: { max: 1 } });
  datasource.open({ url: `jdbc:postgresql://127.0.0.1:${port}/postgres`, user: 'postgres', password: '' });
  try {
    await database.exec('create table page (id int)');
    expect(await read(datasource, 'select id from page')).toEqual([]);
    await knexOf(datasource)('page').insert({ id: 1 });
    const during = knexOf(datasource).transaction(async (transaction) => {
      await transaction('page').insert({ id: 2 });
      throw new Error('stop');
    });
    await expect(during).rejects.toThrow('stop');
    expect(await read(datasource, 'select id from page')).toEqual([{ id: 1 }]);
  } finally {
    await datasource.close(performance.now() + 1000);
    await server.stop();
    await database.close();
  }
});
