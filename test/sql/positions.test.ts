/** Everything that PostgreSQL and MariaDB can prepare is accepted: values after parentheses that end a modifier, and everywhere else. */
import mysql from 'mysql2/promise';
import pg from 'pg';
import { expect, test } from 'vitest';
import { wholeText } from '../../compiler/read/source.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { read } from './reading.js';

const postgresql = `
SELECT DISTINCT ON (id) ? AS x, id FROM t
SELECT DISTINCT ON (id, a) ?::text AS x, id FROM t
INSERT INTO t (id, a) SELECT DISTINCT ON (id) ?::int, a FROM t
SELECT id FROM t TABLESAMPLE bernoulli (10) WHERE ? = a
SELECT id FROM t TABLESAMPLE bernoulli (10) REPEATABLE (?) WHERE ?::bool
SELECT sum(id) OVER (ORDER BY id) + ? FROM t
SELECT sum(id) OVER (ORDER BY id), ? FROM t
SELECT sum(id) FILTER (WHERE a = ?) , ? FROM t
SELECT percentile_cont(?) WITHIN GROUP (ORDER BY id), ? FROM t
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id) FILTER (WHERE id > ?) = ? FROM t
SELECT x.n FROM t, LATERAL (SELECT ? AS n) x WHERE ?::bool
SELECT x.n FROM t JOIN LATERAL (SELECT ? AS n) x ON ?::bool
SELECT a FROM ROWS FROM (generate_series(1, ?), unnest(?::text[])) AS x(a, b) WHERE ? = a
SELECT * FROM (VALUES (1, 2)) AS x (a, b) WHERE ? = a
INSERT INTO t (id, a) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET a = ? WHERE ?::bool
INSERT INTO t (id, a) VALUES (?, ?) ON CONFLICT (id) WHERE ?::int = 1 DO NOTHING
SELECT id FROM t JOIN u USING (id) WHERE ? = u.b
SELECT id FROM t JOIN u USING (id) AS j WHERE ? = u.b
WITH x AS MATERIALIZED (SELECT 1) SELECT ? FROM x
WITH x (a, b) AS (SELECT 1, 2) SELECT ? FROM x
WITH x (a, b) AS NOT MATERIALIZED (SELECT ?::int, 2) INSERT INTO t (id) SELECT ?::int FROM x
SELECT ? FROM t GROUP BY GROUPING SETS ((id), (a)) HAVING ?::bool
SELECT id FROM t GROUP BY ROLLUP (id) HAVING ?::bool
SELECT id FROM t GROUP BY GROUPING SETS ((id, a), ()) HAVING ?::bool LIMIT ?
SELECT id::numeric(10,2) * ? FROM t
SELECT CAST(id AS numeric(10,2)) + ? FROM t
SELECT id FROM t WHERE id OPERATOR(pg_catalog.=) ?::int
SELECT id FROM t WHERE a OPERATOR(pg_catalog.||) ? = 'x'
SELECT OPERATOR(pg_catalog.-) ?::int
SELECT OPERATOR(pg_catalog.@) (?::int), OPERATOR ( - ) id FROM t
SELECT DISTINCT ON (id) (?), ? FROM t
SELECT DISTINCT ON (id) ?::int + 1, a FROM t
SELECT DISTINCT ON (id) coalesce(?, a) FROM t
SELECT DISTINCT ON (id) ? || a FROM t
SELECT id FROM t WHERE id = ANY (ARRAY[1]) AND ?::bool
SELECT id FROM t WHERE (id) = ?
SELECT id FROM t WHERE (id, a) = (?, ?)
SELECT id FROM t WHERE (id, a) IN ((?, ?)) OR ?::bool
SELECT id FROM t WHERE a IN ('x') IS DISTINCT FROM ?
SELECT id FROM t WHERE (a) LIKE ? ESCAPE ?
SELECT id FROM t WHERE (a) SIMILAR TO ?
SELECT id FROM t WHERE (a) COLLATE "C" < ?
SELECT id FROM t WHERE (d) AT TIME ZONE ? > now()
SELECT (a) BETWEEN ? AND ? FROM t
SELECT (id) BETWEEN SYMMETRIC ? AND ? FROM t
SELECT CASE (id) WHEN ? THEN ? ELSE ? END FROM t
SELECT CASE WHEN (id = 1) THEN ? END FROM t
SELECT NOT (id = 1) AND ?::bool FROM t
SELECT EXISTS (SELECT 1) AND ?::bool
SELECT row_number() OVER (PARTITION BY ?::int ORDER BY ?::int ROWS BETWEEN ? PRECEDING AND ? FOLLOWING) FROM t
SELECT id FROM t ORDER BY (id) OFFSET ? LIMIT ?
SELECT id FROM t ORDER BY (id) OFFSET ? ROWS FETCH FIRST ? ROWS ONLY
SELECT id FROM t ORDER BY (id) FETCH NEXT (?) ROWS ONLY
(SELECT 1) UNION (SELECT ?::int) ORDER BY 1 LIMIT ?
UPDATE t SET (id, a) = (?, ?) WHERE ?::bool RETURNING ?
UPDATE t SET (id, a) = ROW (?, ?) RETURNING (id), ?
UPDATE t SET id = (SELECT 1) + ?
UPDATE t SET arr[?] = ?
UPDATE t SET arr[(1)] = ?
SELECT arr[?], arr[?:?], arr[(1):?] FROM t
SELECT extract(year FROM d) - ? FROM t
SELECT overlay(a PLACING ? FROM ? FOR ?) FROM t
SELECT trim(? FROM (a)) FROM t
SELECT string_agg(a, ? ORDER BY id) FROM t
SELECT string_agg(DISTINCT a, ?) FROM t
SELECT array_agg(DISTINCT ?::text) FROM t
SELECT json_build_object(VARIADIC ?::text[])
SELECT interval '1 day' * ? FROM t
SELECT interval(3) '1 day' * ?::int FROM t
SELECT (interval '1 day') * ? FROM t
SELECT (d, d) OVERLAPS (?, ?) FROM t
MERGE INTO t USING (SELECT 1 AS n) s ON (t.id = s.n) WHEN MATCHED AND ?::bool THEN UPDATE SET a = ? WHEN NOT MATCHED THEN INSERT (id, a) VALUES (?, ?)
INSERT INTO t (id) OVERRIDING SYSTEM VALUE VALUES (?)
INSERT INTO t (id) (SELECT ?::int)
INSERT INTO t (id) SELECT ?::int
INSERT INTO t DEFAULT VALUES RETURNING ?
INSERT INTO t AS x (id) VALUES (?) ON CONFLICT ON CONSTRAINT t_pkey DO UPDATE SET a = x.a || ?
SELECT * FROM generate_series(1, 3) WITH ORDINALITY AS x(a, b) WHERE ? = a
SELECT * FROM json_to_recordset(?::json) AS x(a int, b numeric(10,2)) WHERE ? = a
SELECT * FROM ONLY (t) WHERE ? = a
WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + ?::int FROM r) SEARCH DEPTH FIRST BY n SET o SELECT ? FROM r
WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + ?::int FROM r) CYCLE n SET c USING p SELECT ? FROM r
SELECT id FROM t WINDOW w AS (ORDER BY id) ORDER BY ?::int
SELECT sum(id) OVER w FROM t WINDOW w AS (ORDER BY id) LIMIT ?
SELECT count(*) FILTER (WHERE id = 1) * ? FROM t
SELECT ALL ? FROM t
SELECT DISTINCT ? FROM t
SELECT a IS NOT DISTINCT FROM ? FROM t
SELECT a ~ ?, a !~* ?, a ^@ ? FROM t
SELECT @ ?::int, |/ ?::float, ~ ?::int
SELECT ? AT TIME ZONE 'UTC'
SELECT id FROM t FOR UPDATE OF t SKIP LOCKED LIMIT ?
DELETE FROM t USING u WHERE (t.id = u.id) AND ? = u.b RETURNING (t.id), ?
SELECT ARRAY[?, ?]::text[] || ?
SELECT ROW(?, ?) = ROW(a, ?) FROM t
SELECT normalize(?, NFC), ? IS NFC NORMALIZED
SELECT grouping(id), ? FROM t GROUP BY CUBE (id)
SELECT coalesce((SELECT 1), ?)
SELECT a COLLATE "C" || ? FROM t
SELECT a || ? COLLATE "C" FROM t
SELECT id FROM t WHERE id <> ALL (?) AND ?::bool
SELECT id FROM t WHERE id = SOME (?)
SELECT nullif((a), ?) FROM t
SELECT * FROM xmltable('/a' PASSING ? COLUMNS x int PATH 'y' DEFAULT ?)
SELECT xmlparse(DOCUMENT ?), xmlserialize(CONTENT ? AS text), xmlroot(?, VERSION ?)
SELECT id FROM t GROUP BY DISTINCT (id), ROLLUP (id) HAVING ?::bool
SELECT id FROM t GROUP BY ALL (id) HAVING ?::bool
VALUES (1, ?), (2, ?) LIMIT ?
`;

const mysqlStatements = `
SELECT id FROM t USE INDEX (a) WHERE ? = a
SELECT id FROM t IGNORE KEY FOR ORDER BY (a) ORDER BY id LIMIT ?
SELECT /*+ MAX_EXECUTION_TIME(1000) */ ? FROM t
SELECT /*+ SET_VAR(a=b) */ SQL_NO_CACHE ? FROM t
SELECT SQL_CALC_FOUND_ROWS ? FROM t
SELECT STRAIGHT_JOIN ? FROM t
SELECT HIGH_PRIORITY ? FROM t
SELECT DISTINCTROW ? FROM t
SELECT SQL_BUFFER_RESULT SQL_BIG_RESULT ? FROM t
SELECT MATCH (a) AGAINST (? IN BOOLEAN MODE) * ? FROM t
SELECT id FROM t WHERE MATCH (a) AGAINST (?) AND ?
SELECT id FROM pt PARTITION (p0) WHERE ? = id
INSERT INTO pt PARTITION (p0) (id) VALUES (?)
INSERT INTO pt PARTITION (p0) SET id = ?
DELETE FROM pt PARTITION (p0) WHERE ?
INSERT INTO t (id, a) VALUES (?, ?) ON DUPLICATE KEY UPDATE a = VALUES(a)
INSERT INTO t (id, a) VALUES (?, ?) ON DUPLICATE KEY UPDATE a = concat(VALUES(a), ?), id = ?
INSERT INTO t (id, a) VALUE (?, ?)
INSERT INTO t SET id = ?, a = (?)
REPLACE INTO t (id) SELECT ?
INSERT IGNORE INTO t (id) (SELECT ?)
WITH x (a, b) AS (SELECT 1, 2) SELECT ? FROM x
SELECT id FROM t GROUP BY (id) WITH ROLLUP HAVING ?
SELECT CAST(id AS decimal(10,2)) + ? FROM t
SELECT CONVERT(a, CHAR(3)) = ? FROM t
SELECT CONVERT(? USING utf8mb4)
SELECT d + INTERVAL ? DAY, d - INTERVAL (?) DAY FROM t
SELECT INTERVAL ? DAY + d FROM t
SELECT INTERVAL(?, 1, 2), ?
SELECT date_add(d, INTERVAL ? HOUR_MINUTE) FROM t
SELECT GROUP_CONCAT(DISTINCT a ORDER BY (id) SEPARATOR ', '), ? FROM t
SELECT sum(id) OVER (ORDER BY id) + ? FROM t
SELECT sum(id) OVER (PARTITION BY ?), ? FROM t
SELECT a REGEXP ?, (a) RLIKE ?, a NOT REGEXP ? FROM t
SELECT (id) DIV ?, (id) MOD ?, (id) XOR ? FROM t
SELECT a SOUNDS LIKE ? FROM t
SELECT BINARY ? = a FROM t
SELECT a COLLATE utf8mb4_bin = ? FROM t
SELECT ! ?, ~ ?, - ? FROM t
SELECT (id) << ?, (id) | ?, (id) ^ ? FROM t
SELECT id FROM t WHERE (a) <=> ?
SELECT id FROM t WHERE (id, a) IN ((?, ?)) OR ?
SELECT CASE (id) WHEN ? THEN ? ELSE ? END FROM t
SELECT EXISTS (SELECT 1) AND ?
SELECT id FROM t JOIN u USING (id) WHERE ? = u.b
SELECT id FROM (SELECT 1 AS id) AS x WHERE ?
SELECT * FROM (VALUES (1, 2)) AS x WHERE ?
(SELECT 1) UNION ALL (SELECT ?) LIMIT ?
(SELECT 1) EXCEPT (SELECT ?) ORDER BY 1 LIMIT ? OFFSET ?
SELECT id FROM t LIMIT ?, ?
SELECT id FROM t LIMIT ? ROWS EXAMINED ?
SELECT id FROM t ORDER BY (id) OFFSET ? ROWS FETCH FIRST ? ROWS ONLY
SELECT id FROM sv FOR SYSTEM_TIME AS OF ? WHERE ?
SELECT id FROM sv FOR SYSTEM_TIME AS OF TIMESTAMP ? WHERE ?
SELECT id FROM sv FOR SYSTEM_TIME AS OF (?) WHERE ?
SELECT id FROM sv FOR SYSTEM_TIME BETWEEN ? AND ? WHERE ?
SELECT id FROM sv FOR SYSTEM_TIME FROM ? TO ? WHERE ?
SELECT id FROM sv FOR SYSTEM_TIME BETWEEN TIMESTAMP ? AND TIMESTAMP ? WHERE ?
UPDATE t SET a = (SELECT 1) + ?, id = (id) * ?
UPDATE t USE INDEX (a) SET a = ? WHERE ?
UPDATE t JOIN u USING (id) SET a = ? WHERE ?
DELETE t FROM t JOIN u USING (id) WHERE ? = u.b
DELETE FROM t WHERE (id) = ? RETURNING (id), ?
INSERT INTO t (id) VALUES (?) RETURNING id, ?
SELECT JSON_VALUE(j, ?), JSON_EXTRACT(j, '$.a') = ? FROM t
SELECT * FROM JSON_TABLE(?, '$[*]' COLUMNS (a int PATH '$')) x WHERE ? = a
SELECT NEXTVAL(s), ?
SELECT NEXT VALUE FOR s, ?
SELECT id FROM t WHERE id = ANY (SELECT 1) AND ?
SELECT extract(YEAR FROM d) - ? FROM t
SELECT weight_string(a AS CHAR(3)), ? FROM t
SELECT @a := (1), ?
SELECT @a := ?
DO (1), ?
SELECT id FROM sv FOR SYSTEM_TIME ALL WHERE ?
SELECT x.id FROM sv FOR SYSTEM_TIME BETWEEN ? AND ? x, u WHERE x.id = u.id
DELETE FROM ap FOR PORTION OF p FROM ? TO ? WHERE ?
UPDATE ap FOR PORTION OF p FROM ? TO ? SET id = ?
SELECT id FROM sv FOR SYSTEM_TIME FROM TIMESTAMP ? TO TIMESTAMP ? AS x
DO sleep(0), ?
SET STATEMENT max_statement_time=1 FOR SELECT ?
SELECT id FROM t WHERE (id) IN (1) IS TRUE AND ?
SELECT id FROM t WHERE NOT (id) AND ?
SELECT (id) IS NOT NULL, ? FROM t
SELECT id FROM t FOR UPDATE WAIT 1
SELECT id FROM t WHERE id BETWEEN (1) AND ?
SELECT (a) LIKE ? ESCAPE ? FROM t
SELECT CHAR(? USING utf8mb4), ?
SELECT count(DISTINCT ?, (id)), ? FROM t
`;

function linesOf(text: string): string[] {
  return text.trim().split('\n');
}

/** The error codes for each form of the statement. */
function errorsIn(dialect: string, sql: string): string[] {
  const use = /^(?:INSERT|UPDATE|DELETE|MERGE|REPLACE|CALL|DO|WITH .*INSERT)/.test(sql) ? 'UPDATE' : 'READ';
  const withNames = (named: (name: string) => string): string => {
    let count = 0;
    return sql.replaceAll('?', () => named(`p${count++}`));
  };
  const parameters = Array.from(sql.matchAll(/\?/g), (_, index) => ` PARAM(p${index})`).join('');
  const forms = [
    [`${dialect} ${use} query`, withNames((name) => `:[PARAM(${name})]`)],
    [`${dialect} ${use} B`, withNames((name) => `:[param.${name}]`)],
    [`${dialect} ${use} sql${parameters}`, sql],
  ] as const;
  return forms.flatMap(([given, text]) =>
    read(given, wholeText('query', text)).report.diagnostics.flatMap(({ severity, code }) =>
      severity === 'error' ? [`${given}: ${code}`] : [],
    ),
  );
}

test('PostgreSQL', async () => {
  const server = await sharedPostgres();
  await server.createDatabase('sql_positions');
  const { host, port, user, password } = server;
  const client = new pg.Client({ host, port, user, password, database: 'sql_positions' });
  await client.connect();
  await client.query(`
    CREATE TABLE t (id int PRIMARY KEY, a text, d timestamptz, j jsonb, arr int[]);
    CREATE TABLE u (id int PRIMARY KEY, b text);
  `);
  for (const sql of linesOf(postgresql)) {
    let count = 0;
    const numbered = sql.replaceAll('?', () => `$${++count}`);
    await expect(client.query(`PREPARE one AS ${numbered}`), sql).resolves.toBeDefined();
    await client.query('DEALLOCATE one');
    expect(errorsIn('postgresql', sql), sql).toEqual([]);
  }
  await client.end();
});

test('MariaDB', async () => {
  const server = await sharedMariadb();
  await server.createDatabase('sql_positions');
  const { host, port, user, password } = server;
  const connection = await mysql.createConnection({ host, port, user, password, database: 'sql_positions' });
  for (const table of [
    'CREATE TABLE t (id int PRIMARY KEY, a varchar(40), d datetime, j json, KEY a (a), FULLTEXT (a))',
    'CREATE TABLE u (id int PRIMARY KEY, b varchar(40))',
    'CREATE TABLE pt (id int) PARTITION BY LIST (id) (PARTITION p0 VALUES IN (1))',
    'CREATE TABLE sv (id int) WITH SYSTEM VERSIONING',
    'CREATE TABLE ap (id int, a date, b date, PERIOD FOR p (a, b))',
    'CREATE SEQUENCE s',
    'CREATE PROCEDURE p(x int) SELECT 1',
  ])
    await connection.query(table);
  for (const sql of linesOf(mysqlStatements)) {
    const prepared = await connection.prepare(sql).catch((error: unknown) => error);
    expect(prepared, sql).not.toBeInstanceOf(Error);
    expect(errorsIn('mysql', sql), sql).toEqual([]);
  }
  await connection.end();
});
