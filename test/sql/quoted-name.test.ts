/** Quoted names of tables and columns: the servers accept each of their keywords as a name. */
import { expect, test } from 'vitest';
import type { Dialect } from '../../compiler/read/sql/dialect.js';
import { quotedName, writtenName } from '../../compiler/read/sql/quoted-name.js';
import type { AttachedServer } from '../helpers/database-server.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';

test.each<[string, Dialect, string]>([
  ['news', 'postgresql', 'news'],
  ['order', 'postgresql', '"order"'],
  ['user', 'postgresql', '"user"'],
  ['userName', 'postgresql', '"userName"'],
  ['a "b"', 'postgresql', '"a ""b"""'],
  ['news', 'mysql', 'news'],
  ['order', 'mysql', '`order`'],
  ['Order', 'mysql', '`Order`'],
  ['userName', 'mysql', 'userName'],
  ['a `b`', 'mysql', '`a ``b```'],
])('%s in %s: %s', (name, dialect, written) => {
  expect(writtenName(name, dialect)).toBe(written);
});

test.each<[Dialect, () => Promise<AttachedServer>, string]>([
  ['postgresql', sharedPostgres, 'SELECT word FROM pg_get_keywords()'],
  [
    'mysql',
    sharedMariadb,
    "SELECT LOWER(WORD) AS word FROM information_schema.KEYWORDS WHERE WORD REGEXP '^[A-Za-z]'",
  ],
])('every keyword of %s, of a table and of a column', async (dialect, start, keywords) => {
  const server = await start();
  const database = 'written_names';
  await server.createDatabase(database);
  const words = (await server.exec(database, keywords)).map(({ word }) => String(word));
  expect(words.length).toBeGreaterThan(300);
  // MariaDB limits the number of queries in a WITH.
  for (let start = 0; start < words.length; start += 50) {
    const some = words.slice(start, start + 50);
    const queries = some.map((word) => {
      const [quoted, written] = [quotedName(word, dialect), writtenName(word, dialect)];
      return `${written} AS (SELECT ${written} AS found FROM (SELECT 7 AS ${quoted}) AS q)`;
    });
    const all = some.map((word) => `SELECT found FROM ${writtenName(word, dialect)}`);
    const rows = await server.exec(database, `WITH ${queries.join(', ')} ${all.join(' UNION ALL ')}`);
    expect(rows.map(({ found }) => Number(found))).toEqual(some.map(() => 7));
  }
});
