/** Column types reported by servers are right: values read by a service have the types inferred from them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { Analysis } from '../../compiler/analyze/operations/analysis.js';
import { readWithSql } from '../helpers/read-with-sql.js';
import { DiskCache } from '../../compiler/analyze/database/disk-cache.js';
import { SchemaDatabases } from '../../compiler/analyze/database/schema-databases.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { columnType } from '../../compiler/analyze/types/column-type.js';
import type { Kind, ValueType } from '../../compiler/analyze/types/value-type.js';
import type { Json } from '../../runtime/handler/json.js';
import { mysql } from '../../runtime/mysql/mysql.js';
import { postgres } from '../../runtime/postgres/postgres.js';
import type { AttachedServer } from '../helpers/database-server.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { testCall } from '../helpers/test-call.js';
import { configOf, urlOf } from './server-check.js';

const name = 'told_types';

interface Case {
  readonly kind: 'postgresql' | 'mariadb';
  readonly server: () => Promise<AttachedServer>;
  readonly open: typeof mysql;
  readonly schema: string;
  readonly statements: readonly string[];
}

const cases: readonly Case[] = [
  {
    kind: 'mariadb',
    server: sharedMariadb,
    open: mysql,
    schema: `
      CREATE TABLE thing (id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, b boolean, t tinyint, tu tinyint(1) unsigned, s smallint, m mediumint,
        l bigint, lu bigint unsigned, d decimal(30, 10), f float, db double, b1 bit(1), b9 bit(9), y year, da date, ti time(3), dt datetime(3),
        ts timestamp NULL, c char(3), cb char(3) CHARACTER SET binary, v varchar(9), vb varbinary(9), tx text, lt longtext, bl blob, j json,
        e enum('x', 'y'), se set('p', 'q'), g point, u uuid, ip inet6, gen int GENERATED ALWAYS AS (s * 2) STORED);
      CREATE TABLE other (id int NOT NULL PRIMARY KEY, note varchar(9) NOT NULL, flag boolean NOT NULL);
      CREATE VIEW seen AS SELECT id, b, coalesce(b, 0) AS cb, e, j, lt, d FROM thing;
      INSERT INTO thing VALUES (DEFAULT, 1, 5, 1, 6, 7, 8, 18446744073709551615, 1.5, 1.1, 2.2, b'1', b'101', 2026, '2026-01-31', '01:02:03.4', '2026-01-31 01:02:03.4',
        '2026-01-31 01:02:03', 'abc', 'abc', 'v', 'vb', 'tx', '{"a": 1}', 'bl', '{"a": [1]}', 'y', 'p,q', ST_GeomFromText('POINT(1 2)'), uuid(), '::1', DEFAULT);
      INSERT INTO thing (id) VALUES (DEFAULT);
      INSERT INTO other VALUES (1, 'n', 1);`,
    statements: [
      'SELECT * FROM thing',
      'SELECT * FROM seen',
      'SELECT t.id, o.note, o.flag, o.id AS other FROM thing t LEFT JOIN other o ON o.id = t.id',
      'SELECT flag, note FROM other',
      `SELECT count(*) AS n, max(e) AS e, max(b) AS b, min(dt) AS dt, sum(s) AS s, avg(s) AS a, sum(f) AS f, max(j) AS j, bit_or(t) AS bits, group_concat(v) AS v FROM thing`,
      `SELECT b = 1 AS eq, NOT b AS n, b AND 1 AS a, coalesce(b, 0) AS cb, coalesce(b, false) AS cf, ifnull(b1, b'0') AS b1, if(b, b, b) AS ib, b + 0 AS plus, d * 2 AS d2,
        id / 2 AS half, id DIV 2 AS whole, concat(v, id) AS c, json_object('a', 1) AS jo, json_extract(j, '$.a') AS je, json_value(j, '$.a[0]') AS jv, json_unquote(json_extract(j, '$.a')) AS ju,
        now() AS now, curdate() AS today, uuid() AS u, rand() AS r, NULL AS nothing, 1 AS one, 1.5 AS dec_, 1e3 AS exp, 'x' AS x, true AS t, x'41' AS hex, b'1' AS lit, cast(id AS char) AS ch,
        e + 0 AS en, date_format(dt, '%Y') AS y, unix_timestamp(ts) AS ut, coalesce(j, '{}') AS cj2, coalesce(lt, '') AS clt FROM thing`.replace(
        'cast(v AS json) AS cj, ',
        '',
      ),
      'SELECT b, e, j, lt FROM (SELECT b, e, j, lt FROM thing GROUP BY id) AS q',
      'SELECT b, count(*) AS n, max(j) AS j FROM thing GROUP BY b',
      'SELECT b AS v FROM thing UNION SELECT flag FROM other',
      'SELECT e AS v, j AS w FROM thing UNION ALL SELECT note, note FROM other',
      'WITH c AS (SELECT b, j, e, lt, b1 FROM thing) SELECT * FROM c ORDER BY e LIMIT 3',
      'SELECT lag(b) OVER (ORDER BY id) AS b, first_value(e) OVER (ORDER BY id) AS e, row_number() OVER () AS n, lag(j) OVER (ORDER BY id) AS j FROM thing',
      'SELECT DISTINCT b, j, e, b1, t FROM thing ORDER BY rand()',
      'SELECT (SELECT flag FROM other LIMIT 1) AS flag, (SELECT note FROM other WHERE id = 9) AS note, EXISTS (SELECT 1 FROM other) AS there FROM thing',
      'SELECT b, max(s) AS s FROM thing GROUP BY b WITH ROLLUP',
      'SELECT count(*) AS n, count(DISTINCT id) c, count(*) + NULL AS x FROM thing',
      'SELECT id, e FROM thing GROUP BY id, e WITH ROLLUP',
    ],
  },
  {
    kind: 'postgresql',
    server: sharedPostgres,
    open: postgres,
    schema: `
      CREATE TYPE mood AS ENUM ('calm', 'wild'); CREATE DOMAIN small AS int CHECK (value < 100);
      CREATE TABLE thing (id serial PRIMARY KEY, b boolean, s smallint, l bigint, n numeric, r real, d double precision, c char(3), v varchar(9), t text, da date, ti time,
        ts timestamp, tz timestamptz, iv interval, j json, jb jsonb, by bytea, u uuid, ip inet, bi bit(4), m mood, ms mood[], ia int[], ta text[], dm small, r4 int4range, p point, mo money, x xml);
      CREATE TABLE other (id int NOT NULL PRIMARY KEY, note text NOT NULL);
      CREATE VIEW seen AS SELECT id, b, m, n FROM thing;
      INSERT INTO thing VALUES (DEFAULT, true, 1, 9223372036854775807, 1.5, 1.1, 2.2, 'c', 'v', 't', '2026-01-31', '01:02:03', now(), now(), '1 day', '{"a":1}', '[1]', 'x', gen_random_uuid(),
        '::1', b'1010', 'wild', '{calm,NULL}', '{{1,2},{3,4}}', '{a,NULL}', 7, '[1,2)', '(1,2)', 3, '<a/>');
      INSERT INTO thing (id, n) VALUES (DEFAULT, 'NaN'); INSERT INTO other VALUES (1, 'n');`,
    statements: [
      'SELECT * FROM thing',
      'SELECT * FROM seen',
      'SELECT t.id, o.note, o.id AS other FROM thing t LEFT JOIN other o ON o.id = t.id',
      'WITH q AS (SELECT id, note FROM other) SELECT t.id, q.note, q.id AS other FROM thing t LEFT JOIN q ON q.id = t.id + 1000',
      'WITH q (x, y) AS MATERIALIZED (SELECT id, note FROM other), r AS (SELECT * FROM q) SELECT t.id, "r".* FROM thing t LEFT JOIN "r" ON "r".x = t.id + 1000',
      'WITH q AS (UPDATE other SET note = note RETURNING *) SELECT q.note FROM thing t LEFT JOIN q ON q.id = t.id + 1000',
      'WITH q AS (SELECT id, note FROM other) SELECT q.note FROM q RIGHT JOIN thing t ON q.id = t.id + 1000',
      'SELECT q.note FROM thing t LEFT JOIN (SELECT * FROM other) q ON q.id = t.id + 1000',
      'SELECT q.note FROM thing t LEFT JOIN LATERAL (SELECT * FROM other o WHERE o.id = t.id + 1000) q ON true',
      'SELECT o.note FROM thing t LEFT JOIN seen s JOIN other o ON o.id = s.id ON s.id = t.id + 1000',
      'SELECT o.note FROM thing t LEFT JOIN U&"other" o ON o.id = t.id + 1000',
      'SELECT count(*) AS n, max(m) AS m, sum(l) AS l, avg(s) AS a, array_agg(m) AS ms, json_agg(s) AS j, bool_or(b) AS b, string_agg(v, $$,$$) AS v FROM thing',
      "SELECT b AND true AS a, coalesce(s, 0) AS s, l + 1::numeric AS l, n / 2 AS n, v || id AS c, jb->0 AS first, jb->>0 AS text, now() AS now, NULL AS nothing, 'x' AS x, 1.5 AS d, ROW(1, 'a') AS r, ARRAY[1, NULL] AS ar FROM thing",
      'SELECT count(*) AS n, count(id) FILTER (WHERE b) c, count(*) OVER (PARTITION BY id) AS o, count(*) + NULL AS x, -count(*) AS y FROM thing GROUP BY ROLLUP (id)',
      'SELECT (SELECT count(*) FROM other HAVING false) AS n, count(*) n2 FROM thing',
      'SELECT q.n FROM thing t LEFT JOIN (SELECT count(*) AS n, id FROM other GROUP BY id) q ON q.id = t.id + 1000',
      'SELECT id, m FROM thing GROUP BY ROLLUP (id, m)',
      'SELECT m AS v FROM thing UNION SELECT NULL',
    ],
  },
];

describe.each(cases)('$kind', ({ kind, server: start, open, schema, statements }) => {
  let server: AttachedServer;

  beforeAll(async () => {
    server = await start();
    await server.createDatabase(name);
    await server.exec(name, schema);
  });

  test.each(statements)('%s', async (sql) => {
    const report = new Report();
    const config = readWithSql(configOf([{ sql }], { shop: kind }), report);
    if (config === undefined) throw new Error('no configuration');
    const questions = new Analysis(config, undefined, report.errors).questions();
    const url = urlOf(server, kind, name);
    const databases = new SchemaDatabases(() => ({ kind: 'server', url }), new DiskCache(undefined));
    const results = await databases.ask(config.datasources, () => questions);
    const [asked] = questions;
    const described = asked && results.of(asked.statement)?.result;
    if (asked === undefined || described === undefined || !('description' in described))
      throw new Error(`not described: ${JSON.stringify(described ?? results.unchecked)}`);
    const columns = described.description.columns ?? [];

    const datasource = open({ name: 'shop' });
    datasource.open({ url: server.jdbcUrl(name), user: server.user, password: server.password });
    try {
      const { truths } = asked.statement;
      const read = datasource.read({ operation: 'o', fulfillment: 'f', sql, truths });
      const rows = await read(testCall(), []);
      expect(rows.length).toBeGreaterThan(0);
      const wrong = rows.flatMap((row) => {
        expect(Object.keys(row)).toEqual(columns.map((column) => column.name));
        return columns.flatMap((column, index) => {
          const value = (row as Readonly<Record<string, Json>>)[column.name] ?? null;
          const type = columnType(column, asked.statement, index);
          return fits(value, type) ? [] : [`${column.name}: ${column.type.name} is ${JSON.stringify(value)}`];
        });
      });
      expect(wrong).toEqual([]);
    } finally {
      await datasource.close(performance.now());
    }
  });
});

function fits(value: Json, type: ValueType): boolean {
  if (!type.kinds.has(kindOf(value))) return false;
  if (typeof value === 'string') return type.words === undefined || type.words.has(value);
  if (!Array.isArray(value)) return true;
  const { element } = type;
  return element === undefined || value.every((one) => fits(one, element));
}

function kindOf(value: Json): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const kind = typeof value;
  return kind === 'boolean' || kind === 'number' || kind === 'string' ? kind : 'object';
}
