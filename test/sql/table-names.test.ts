/** The tables named by a statement, and the maximum number of its rows, derived from its text alone. */
import { describe, expect, test } from 'vitest';
import { wholeText } from '../../compiler/read/source.js';
import { hasRowLimit, rowLimitOf } from '../../compiler/read/sql/facts/row-limit.js';
import { isNeverNull } from '../../compiler/read/sql/facts/nullability.js';
import type { SqlStatement } from '../../compiler/read/sql/statement.js';
import { tableNames } from '../../compiler/read/sql/facts/table-names.js';
import { read } from './reading.js';

function statementOf(sql: string, dialect: string): SqlStatement {
  const use = /^(?:INSERT|UPDATE|DELETE|REPLACE|MERGE|TRUNCATE)/.test(sql) ? 'UPDATE' : 'READ';
  const { statement } = read(`${dialect} ${use}`, wholeText('query', sql));
  if (statement === undefined) throw new Error(`This cannot be read: ${sql}`);
  return statement;
}

describe('tables', () => {
  test.each([
    ['SELECT a FROM x, y AS z JOIN w ON w.a = z.a WHERE x.a IN (SELECT a FROM q)', 'x y w q', ''],
    [
      'SELECT extract(day FROM at), trim(BOTH FROM name) FROM shop.item WHERE a IS DISTINCT FROM b',
      'shop.item',
      '',
    ],
    ['SELECT 1', '', ''],
    ['SELECT 1 FROM News JOIN "News" AS n ON true JOIN news AS m ON true', 'news News', ''],
    ['SELECT * FROM (a JOIN b ON true) LEFT JOIN k USING (id) FOR UPDATE', 'a b k', ''],
    ['SELECT * FROM generate_series(1, 3) AS g, LATERAL (SELECT 1 FROM inside) AS i', 'inside', ''],
    [
      'WITH t AS (SELECT 1 FROM base), u (a) AS MATERIALIZED (DELETE FROM gone RETURNING a) SELECT * FROM t JOIN u ON true',
      'base',
      'gone',
    ],
    ['INSERT INTO "Order" (x) SELECT y FROM "C d" ON CONFLICT (x) DO UPDATE SET x = 1', 'C d', 'Order'],
    ['UPDATE ONLY t SET a = 1 FROM u WHERE t.a = u.a', 'u', 't'],
    ['DELETE FROM t USING v WHERE t.a = v.a', 'v', 't'],
    ['TRUNCATE t, "U" RESTART IDENTITY CASCADE', '', 't U'],
    [
      'MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN UPDATE SET a = 1 WHEN NOT MATCHED THEN INSERT (a) VALUES (1)',
      's',
      't',
    ],
  ])('of PostgreSQL: %s', (sql, reads, writes) => {
    const found = tableNames(statementOf(sql, 'postgresql'));
    expect([found.reads.join(' '), found.writes.join(' ')]).toEqual([reads, writes]);
  });

  test.each([
    ['INSERT IGNORE INTO `t` (a) VALUES (1) ON DUPLICATE KEY UPDATE a = 2', '', 't'],
    ["REPLACE INTO t (a) VALUES (replace('a', 'b', 'c'))", '', 't'],
    ['SELECT * FROM a STRAIGHT_JOIN b ON a.id = b.id LIMIT 3', 'a b', ''],
    ['UPDATE LOW_PRIORITY t SET a = (SELECT max(b) FROM u)', 'u', 't'],
    ['DELETE i FROM item AS i JOIN u ON u.a = i.a', 'item u', 'item'],
    ['DELETE FROM i USING (item AS i JOIN u ON u.a = i.a)', 'item u', 'item'],
    ['DELETE i FROM item JOIN u ON u.a = i.a', 'item u', 'i'],
  ])('of MySQL: %s', (sql, reads, writes) => {
    const found = tableNames(statementOf(sql, 'mysql'));
    expect([found.reads.join(' '), found.writes.join(' ')]).toEqual([reads, writes]);
  });
});

describe('a column of `item` that is NOT NULL', () => {
  test.each([
    ['SELECT a FROM item LEFT JOIN x ON true', true],
    ['SELECT a FROM x LEFT JOIN item ON true', false],
    ['WITH x AS (SELECT b FROM x) SELECT a FROM item LEFT JOIN x ON true', true],
    ['WITH x AS (SELECT b FROM item) SELECT a FROM item LEFT JOIN x ON true', false],
    // Slices are not analyzed, because they may contain a query.
    ['SELECT a FROM item LEFT JOIN (SELECT b[1:2] FROM x) AS y ON true', false],
  ])('is never null in %s: %s', (sql, expected) => {
    const column = { name: 'a', type: { name: 'text' }, origin: { table: 'item', isNotNull: true } };
    expect(isNeverNull(column, statementOf(sql, 'postgresql'), 0)).toBe(expected);
  });
});

describe('rows at most', () => {
  test.each([
    ['SELECT a FROM t', undefined],
    ['SELECT a FROM t LIMIT 10', 10],
    ['SELECT a FROM t LIMIT 10 OFFSET 5', 10],
    ['SELECT a FROM t LIMIT 10 * 2', undefined],
    ['SELECT a FROM t WHERE a IN (SELECT a FROM u LIMIT 1)', undefined],
    ['SELECT a FROM t FETCH FIRST 3 ROWS ONLY', 3],
    ['SELECT a FROM t FETCH FIRST ROW ONLY', 1],
    ['SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS WITH TIES', undefined],
    ['SELECT count(*), max(a) FROM t', 1],
    ['SELECT a, count(*) FROM t GROUP BY a', undefined],
    ['SELECT count(*) OVER () FROM t', undefined],
    ['SELECT count(*) FROM t UNION ALL SELECT 2', undefined],
    ['SELECT 1', 1],
    ["SELECT unnest(ARRAY['a', 'b'])", undefined],
  ])('of PostgreSQL: %s', (sql, rows) => {
    expect(rowLimitOf(statementOf(sql, 'postgresql'))).toBe(rows);
  });

  test('of MySQL: the second number of LIMIT', () => {
    expect(rowLimitOf(statementOf('SELECT a FROM t LIMIT 5, 10', 'mysql'))).toBe(10);
  });

  test('a limit that is a value is one too', () => {
    const limited = statementOf('SELECT a FROM t LIMIT :[PARAM(n)]', 'postgresql');
    expect([rowLimitOf(limited), hasRowLimit(limited)]).toEqual([undefined, true]);
    expect(hasRowLimit(statementOf('SELECT a FROM (SELECT a FROM t LIMIT 1) AS u', 'postgresql'))).toBe(
      false,
    );
  });
});
