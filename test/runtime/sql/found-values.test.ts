/**
 * A value that was read finds its row again: comparing its column with it finds the same rows as comparing with the column itself, and
 * writing it back changes nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selectText, typesOf } from '../../../compiler/read/sql/facts/mysql-columns.js';
import { parseText } from '../../../compiler/read/sql/parse/parse-text.js';
import type { Json, Row } from '../../../runtime/handler/json.js';
import type { DatabaseKind } from '../../../runtime/sql/jdbc-url.js';
import { everyOf } from '../../helpers/runs.js';
import { testCall } from '../../helpers/test-call.js';
import { openMariadb, openPostgres, read, update, type TestDatasource } from './open-datasource.js';

/** A type and literals of it. */
type Case = readonly [type: string, ...literals: string[]];

const mariadbTypes: readonly Case[] = [
  ['timestamp', "'2026-03-01 10:00:00'", "'1970-01-01 00:00:01'", "'0000-00-00 00:00:00'"],
  ['timestamp(6)', "'2026-03-01 10:00:00.25'", "'2026-03-01 10:00:00.123456'", "'2026-03-01 10:00:00'"],
  [
    'datetime',
    "'2026-03-01 10:00:00'",
    "'0001-01-01 00:00:00'",
    "'9999-12-31 23:59:59'",
    "'0000-00-00 00:00:00'",
  ],
  ['datetime(3)', "'2026-03-01 10:00:00.25'", "'2026-03-01 10:00:00'"],
  ['date', "'2026-03-01'", "'0001-01-01'"],
  ['time', "'14:30:00'", "'-838:59:59'", "'838:59:59'"],
  ['time(4)', "'14:30:00.25'", "'00:00:00'"],
  ['year', '2026', '0', '1901'],
  ['binary(4)', "'abcd'", "x'00ff0001'", "x'00000000'"],
  ['varbinary(40)', "''", "'hello'", "x'00ff'", "'hellp'"],
  ['tinyblob', "'blob'", "x'ff'"],
  ['blob', "'blob'", "x'00'", "''"],
  ['mediumblob', "'blob'", "x'00ff'"],
  ['longblob', "'blob'", "x'00ff'"],
  ['bit(1)', "b'0'", "b'1'"],
  ['bit(5)', "b'0'", "b'10101'"],
  ['bit(8)', "b'101'", "b'11111111'", "b'110000'"],
  ['bit(64)', "b'1'", `b'${'1'.repeat(64)}'`],
  ['boolean', 'true', 'false'],
  ['tinyint', '1', '-128', '0'],
  ['tinyint unsigned', '1', '255'],
  ['smallint', '-32768', '7'],
  ['mediumint', '8388607', '-1'],
  ['int', '2147483647', '0'],
  ['int(5) zerofill', '42', '0'],
  ['int unsigned', '4294967295', '1'],
  ['bigint', '9007199254740993', '9007199254740992', '-9223372036854775808'],
  ['bigint unsigned', '18446744073709551615', '18446744073709551614'],
  ['decimal(10,2)', '1.50', '-0.01', '0'],
  ['decimal(65,30)', '0.100000000000000000000000000001', '0.1', '12345678901234567890123456789012345.5'],
  ['decimal(38,0)', '12345678901234567890123456789012345678', '12345678901234567890123456789012345677'],
  ['float', '1.1', '16777216', '3.4e38', '-0.1', '1e-30'],
  ['float(7,2)', '1.1', '12345.67'],
  ['double', '1.1', '0.30000000000000004', '1e300', '1e-300'],
  ['double(10,3)', '1.125', '-7'],
  ['json', `'{"a":1}'`, `'"text"'`, `'[1,"x",null]'`, "'7'", "'true'", `'"7"'`],
  ['uuid', "'0e000000-0000-4000-8000-000000000001'", "'0e000000-0000-4000-8000-000000000002'"],
  ['inet6', "'::1'", "'2001:db8::ff00:42:8329'"],
  ['inet4', "'127.0.0.1'", "'10.0.0.255'"],
  ['char(5)', "'abc'", "''", "'12345'"],
  ['varchar(40)', "'abc'", "'0'", "'grün'", "'2026-03-01T10:00:00Z'", "'AAEC'", "'true'"],
  ['varchar(40) character set latin1', "'grün'", "'abc'"],
  ['varchar(40) character set ucs2', "'grün'", "'abc'"],
  ['varchar(40) character set utf8mb4 collate utf8mb4_bin', "'Abc'", "'abc'"],
  ['varchar(40) character set utf8mb4 collate utf8mb4_general_ci', "'Abc'", "'abd'"],
  ['varchar(400) compressed', "'abc'", "''"],
  ['tinytext', "'abc'", "'7'"],
  ['text', "'abc'", '\'{"a":1}\''],
  ['mediumtext', "'abc'", "'x'"],
  ['longtext', "'abc'", "'x'"],
  ["enum('small','large','1')", "'small'", "'1'"],
  ["set('a','b','c')", "'a,c'", "''", "'b'"],
  ['point', 'point(1, 2)', 'point(2, 1)'],
  ['linestring', "st_geomfromtext('linestring(0 0, 1 1)')", "st_geomfromtext('linestring(0 0, 1 2)')"],
  [
    'polygon',
    "st_geomfromtext('polygon((0 0, 1 0, 1 1, 0 0))')",
    "st_geomfromtext('polygon((0 0, 2 0, 1 1, 0 0))')",
  ],
  ['geometry', "st_geomfromtext('point(1 1)', 4326)", 'point(1, 1)'],
  ['multipoint', "st_geomfromtext('multipoint(0 0, 1 1)')", "st_geomfromtext('multipoint(0 0, 1 2)')"],
];

const postgresTypes: readonly Case[] = [
  ['smallint', '-32768', '7'],
  ['int', '2147483647', '0'],
  ['bigint', '9007199254740993', '9007199254740992', '-9223372036854775808'],
  ['numeric', '0.1', '12345678901234567890.123456789', '1e40'],
  ['numeric(10,2)', '1.50', '-0.01'],
  ['real', '1.1', '16777217', '3.4e38', '1e-30'],
  ['double precision', '1.1', '0.30000000000000004', '1e300'],
  ['money', "'1.50'", "'-1000'"],
  ['boolean', 'true', 'false'],
  ['text', "'abc'", "''", "'2026-03-01T10:00:00Z'", "'true'"],
  ['varchar(40)', "'abc'", "'0'", "'gr\u00fcn'"],
  ['char(5)', "'abc'", "''"],
  ['name', "'abc'", "'Abc'"],
  ['"char"', "'a'", "'z'"],
  ['citext', "'Abc'", "'abd'"],
  ['bytea', "'\\x00ff'", "''", "'abcd'"],
  ['bytes', "'\\x00ff'", "'abcd'"],
  ['date', "'2026-03-01'", "'infinity'", "'0044-03-15 BC'"],
  ['time', "'14:30:00.25'", "'24:00:00'"],
  ['time(2)', "'14:30:00.25'", "'00:00:00'"],
  ['timetz', "'14:30:00+02'", "'14:30:00-03:30'"],
  ['timestamp', "'2026-03-01 10:00:00.123456'", "'infinity'", "'0044-03-15 12:00:00 BC'"],
  ['timestamp(0)', "'2026-03-01 10:00:00'"],
  [
    'timestamptz',
    "'2026-03-01 10:00:00+02'",
    "'-infinity'",
    "'2026-03-01 10:00:00.5Z'",
    "'12026-01-01 00:00Z'",
  ],
  ['interval', "'1 day 02:03:04'", "'-1 mon'"],
  ['uuid', "'0e000000-0000-4000-8000-000000000001'", "'0e000000-0000-4000-8000-000000000002'"],
  ['json', `'{"a":1}'`, "'7'"],
  ['jsonb', `'{"a":[1,2]}'`, `'"text"'`, "'7'", "'true'", `'[]'`, `'"7"'`],
  ['xml', "'<a/>'"],
  ['bit(1)', "B'1'", "B'0'"],
  ['bit(8)', "B'00000101'", "B'11111111'"],
  ['bit varying(8)', "B'101'", "B''"],
  ['inet', "'::1'", "'10.0.0.1/8'"],
  ['cidr', "'10.0.0.0/8'", "'2001:db8::/32'"],
  ['macaddr', "'08:00:2b:01:02:03'", "'08:00:2b:01:02:04'"],
  ['macaddr8', "'08:00:2b:01:02:03:04:05'"],
  ['oid', '1', '4294967295'],
  ['regclass', "'pg_class'"],
  ['regtype', "'int'", "'text'"],
  ['tid', "'(0,1)'", "'(1,2)'"],
  ['xid8', "'7'", "'8'"],
  ['pg_lsn', "'0/16B3748'", "'1/0'"],
  ['tsvector', "'a b'", "'c:1'"],
  ['tsquery', "'a & b'", "'c'"],
  ['point', "'(1,2)'"],
  ['line', "'{1,2,3}'", "'{1,2,4}'"],
  ['lseg', "'[(0,0),(1,1)]'", "'[(0,0),(2,2)]'"],
  ['box', "'(1,1),(0,0)'", "'(2,2),(0,0)'"],
  ['path', "'[(0,0),(1,1)]'", "'((0,0),(1,1),(2,0))'"],
  ['polygon', "'((0,0),(1,1),(2,0))'"],
  ['circle', "'<(0,0),1>'", "'<(0,0),2>'"],
  ['int4range', "'[1,5)'", "'empty'", "'(,7)'"],
  ['int8range', "'[1,9007199254740993)'"],
  ['numrange', "'[1.5,2.5]'", "'empty'"],
  ['daterange', "'[2026-03-01,2026-04-01)'"],
  ['tsrange', "'[2026-03-01 10:00,2026-03-01 11:00)'"],
  ['tstzrange', "'[2026-03-01 10:00+02,)'"],
  ['int4multirange', "'{[1,3),[5,7)}'"],
  ['datemultirange', "'{[2026-03-01,2026-04-01)}'"],
  ['span', "'[1.5,2.5]'"],
  ['mood', "'sad'", "'so so'"],
  ['percent', '7', '100'],
  ['hstore', `'a=>1'`, `'a=>NULL, b=>"x y"'`],
  ['ltree', "'a.b'", "'a.c'"],
  ['cube', "'(1,2)'", "'(1,2),(3,4)'"],
  ['isbn', "'978-0-393-04002-9'"],
  ['ean13', "'9780393040029'"],
  ['int[]', "'{1,2}'", "'{}'", "'{1,NULL}'", "'{{1,2},{3,4}}'"],
  ['smallint[]', "'{1,2}'", "'{3}'"],
  ['bigint[]', "'{9007199254740993}'", "'{9007199254740992}'"],
  ['numeric[]', "'{1.5,12345678901234567890.5}'"],
  ['real[]', "'{1.1}'", "'{2.5}'"],
  ['double precision[]', "'{1.1,1e300}'"],
  ['boolean[]', "'{t,f}'", "'{}'"],
  ['text[]', `'{"a,b","c\\"d",NULL,""}'`, "'{}'", "'{a}'"],
  ['varchar(10)[]', "'{a,b}'", "'{b}'"],
  ['char(3)[]', "'{a,b}'"],
  ['citext[]', "'{A,b}'"],
  ['bytea[]', `'{"\\\\x00ff"}'`, "'{}'"],
  ['date[]', "'{2026-03-01}'"],
  ['time[]', "'{14:30:00.25}'"],
  ['timestamp[]', `'{"2026-03-01 10:00:00"}'`],
  ['timestamptz[]', `'{"2026-03-01 10:00:00+02"}'`],
  ['interval[]', `'{"1 day"}'`],
  ['uuid[]', "'{0e000000-0000-4000-8000-000000000001}'"],
  ['jsonb[]', `array['{"a":1}'::jsonb]`, `array['[1]'::jsonb, '"x"'::jsonb]`, "'{7,8}'"],
  ['inet[]', "'{::1}'"],
  ['bit(3)[]', "'{101}'"],
  ['mood[]', `'{sad,"so so"}'`],
  ['percent[]', "'{7}'"],
  ['tags', "'{a,b}'"],
  ['int4range[]', `'{"[1,5)"}'`],
  ['box[]', "'{(1,1),(0,0)}'"],
  ['numrange[]', `'{"[1,2]"}'`],
  ['oid[]', "'{1,2}'"],
  ['macaddr[]', "'{08:00:2b:01:02:03}'"],
  ['hstore[]', `array['a=>1'::hstore]`],
];

/** Comparisons of the column `v` with a value `?`; each must find the same rows as the column itself. */
const conditions = [
  'v = ?',
  '? = v',
  'v <=> ?',
  'v < ?',
  'v <= ?',
  'not (v <> ?)',
  'v >= ?',
  'v in (?)',
  'v in (?, ?)',
  'v between ? and ?',
  '(v, 1) = (?, 1)',
  '(1, v) in ((1, ?), (2, ?))',
  'case v when ? then 1 else 0 end = 1',
  'coalesce(v, v) = ?',
  'v = coalesce(?, v)',
  'nullif(v, ?) is null',
  'v = (select ?)',
  '? in (select o.v from t o)',
  'exists (select 1 from t o where o.id = t.id and o.v = ?)',
  't.id in (select o.id from (select i.id, i.v from t i) o where o.v = ?)',
];

/** A table for each type, or for a sample of the types. */
function samples(types: readonly Case[]): { type: string; literals: string[]; table: string }[] {
  return types.flatMap(([type, ...literals], index) =>
    index % everyOf(15) === 0 ? [{ type, literals, table: `t${index}` }] : [],
  );
}

/** Statements that write the value of a row back to it in indirect ways. */
const writeBacks = [
  'update t set v = ? where id = ',
  'update t set v = coalesce(?, v) where id = ',
  'update t set v = case when w is null then v else ? end where id = ',
  'update t join t o on o.id = t.id set t.v = coalesce(?, o.v) where t.id = ',
  'insert into t (id, v) select id, ? from t o where o.v = ? and o.id = ID on duplicate key update v = coalesce(?, t.v), w = ',
];

describe.each<DatabaseKind>(['mysql', 'postgresql'])('%s', (kind) => {
  let opened: TestDatasource;
  beforeAll(async () => {
    opened = await (kind === 'mysql' ? openMariadb : openPostgres)('found_values');
    await update(opened.datasource, 'create table found (id int)');
    if (kind === 'postgresql')
      await opened.server.exec(
        'found_values',
        `create extension citext; create extension hstore; create extension ltree; create extension cube; create extension isn;
         create type mood as enum ('sad', 'so so', 'happy'); create domain percent as int check (value <= 100);
         create domain bytes as bytea; create domain tags as text[]; create type span as range (subtype = float8)`,
      );
  });
  afterAll(() => opened.datasource.close(performance.now() + 1000));

  /** Runs the statement like generated code, with the value at each position; `isParam`: as a string, like PARAM. */
  function run(use: 'read' | 'update', text: string, value: Json, isParam: boolean): Promise<Row[]> {
    const { written, compared } =
      kind === 'mysql' ? typesOf(parseText(text, kind)) : { written: undefined, compared: undefined };
    const [parameterTypes, comparedTypes] = [selectText(written), selectText(compared)];
    const values = Array.from({ length: text.split('?').length - 1 }, () =>
      isParam ? paramOf(value) : value,
    );
    let count = 0;
    const sql = kind === 'mysql' ? text : text.replaceAll('?', () => `$${(count += 1)}`);
    return opened.datasource[use]({
      ...{ operation: 'POST /test', fulfillment: 'change', sql },
      ...(parameterTypes === undefined ? {} : { parameterTypes }),
      ...(comparedTypes === undefined ? {} : { comparedTypes }),
      valueNames: values.map(() => (isParam ? 'param.v' : 'body.v')),
      ...(isParam ? { parameters: values.map(() => 'v') } : {}),
    })(testCall(), values);
  }

  test.each(samples(kind === 'mysql' ? mariadbTypes : postgresTypes))(
    '$type',
    async ({ type, literals, table }) => {
      const { datasource } = opened;
      await update(datasource, `create table ${table} (id int primary key, v ${type}, w int default 0)`);
      for (const [index, literal] of literals.entries())
        await update(datasource, `insert into ${table} (id, v) values (${index}, ${literal})`);
      await update(datasource, `create table kept_${table} as select * from ${table}`);
      const rows = (await read(datasource, `select id, v from ${table} order by id`)) as {
        id: number;
        v: Json;
      }[];
      const failures: string[] = [];
      const compare = async (
        text: string,
        v: Json,
        found: () => Promise<unknown>,
        wanted: unknown,
      ): Promise<void> => {
        const outcome = await found().catch(String);
        if (JSON.stringify(outcome) !== JSON.stringify(wanted))
          failures.push(
            `${JSON.stringify(v)}: ${text}: ${JSON.stringify(outcome)} and not ${JSON.stringify(wanted)}`,
          );
      };
      for (const { id, v } of rows)
        for (const condition of conditionsOf(kind, type)) {
          const own = `(select x.v from ${table} x where x.id = ${id})`;
          const oracle = of(table, `select t.id from t where ${condition.replaceAll('?', own)} order by id`);
          const expected = await read(datasource, oracle).catch(() => undefined);
          // The server cannot compare values of the type.
          if (expected === undefined) continue;
          for (const [use, text] of statementsOf(kind, condition))
            for (const isParam of [false, true]) {
              if (isParam && !isTextOf(type, v)) continue;
              const sql = of(table, text);
              await compare(
                sql,
                v,
                async () => {
                  const found = await run(use, sql, v, isParam);
                  if (use === 'read') return found;
                  if (sql.startsWith('delete'))
                    await update(
                      datasource,
                      `insert into ${table} select * from kept_${table} where id not in (select id from ${table})`,
                    );
                  return kind === 'mysql' ? found[0]?.['affected_rows'] : found.length;
                },
                use === 'read' ? expected : expected.length,
              );
            }
        }
      for (const { id, v } of rows)
        for (const text of writeBacks) {
          if (kind === 'postgresql' && /join|on duplicate/.test(text)) continue;
          const sql = of(table, `${text.replace('ID', String(id))}${id}`);
          await compare(
            sql,
            v,
            async () => {
              await run('update', sql, v, false);
              return read(datasource, `select id, v from ${table} order by id`);
            },
            rows,
          );
        }
      expect(failures).toEqual([]);
    },
  );
});

function conditionsOf(kind: DatabaseKind, type: string): readonly string[] {
  return conditions.filter((condition) => {
    // PostgreSQL compares these types by number, even literals.
    if (/^reg/.test(type)) return false;
    // On PostgreSQL, a value in a subquery needs a cast.
    if (kind === 'postgresql') return !/<=>|nullif|\(select \?\)/.test(condition);
    // The server cannot compare strings of two character sets in a row constructor, even as literals.
    return !(/latin1|ucs2/.test(type) && condition.startsWith('(1, v) in'));
  });
}

function statementsOf(
  kind: DatabaseKind,
  condition: string,
): readonly (readonly ['read' | 'update', string])[] {
  const qualified = condition.replaceAll(/(?<!\.)\bv\b/g, 't.v');
  const [returning, joined] =
    kind === 'mysql'
      ? ['', `update t join t p on p.id = t.id set t.w = t.w + 1 where ${qualified}`]
      : [' returning 1', `update t set w = t.w + 1 from t p where p.id = t.id and ${qualified} returning 1`];
  return [
    ['read', `select t.id from t where ${condition} order by id`],
    ['read', `select t.id from t join t p on p.id = t.id and ${qualified} order by t.id`],
    ['update', `insert into found (id) select t.id from t where ${condition}${returning}`],
    ['update', `update t set w = w + 1 where ${condition}${returning}`],
    ['update', joined],
    ['update', `delete from t where ${condition}${returning}`],
  ];
}

/** The SQL with the table name `t` replaced. */
function of(table: string, sql: string): string {
  return sql.replaceAll(/\bt\b/g, table);
}

/** Whether a PARAM string has the same meaning as the value for the type: for a document, JSON text is a different value. */
function isTextOf(type: string, value: Json): boolean {
  const isDocument = /^jsonb?$/.test(type);
  if (typeof value === 'object' && !isDocument) return false;
  return !isDocument || typeof value !== 'string' || Number.isNaN(Number(value));
}

/** The value as a string, as in a path or a query. */
function paramOf(value: Json): Json {
  return value === null || typeof value === 'string' ? value : JSON.stringify(value);
}
