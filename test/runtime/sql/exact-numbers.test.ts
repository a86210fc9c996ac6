/**
 * Numbers in a body or a stored document that a double cannot represent are stored as numbers in JSON columns, and strings of the same
 * digits as strings.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exact, ExactDigits, exactJson } from '../../../runtime/handler/exact-numbers.js';
import { every, get, type Json } from '../../../runtime/handler/json.js';
import { parseJson } from '../../../runtime/handler/parse-json.js';
import { jsonText } from '../../../runtime/mysql/number.js';
import { inList } from '../../../runtime/sql/in-lists.js';
import { renderSql, sql, type PassedValue } from '../../../runtime/sql/sql-template.js';
import { testCall } from '../../helpers/test-call.js';
import { runs } from '../../helpers/runs.js';
import { openMariadb, openPostgres, read, type TestDatasource } from './open-datasource.js';

const digits = fc.constantFrom(
  ...[
    '9007199254740993',
    '-18446744073709551616',
    '0.12345678901234567891',
    '123456789012345678901234567890.5',
  ],
);

/** JSON text as written by `exactJson`. */
const document = fc.letrec<Record<'value', string>>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    ...[digits, digits.map((text) => `"${text}"`), fc.constantFrom('0', '1.5', 'null', 'true', '"a\\"b"')],
    fc.array(tie('value'), { maxLength: 3 }).map((parts) => `[${parts.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', '__proto__', 'x y'), tie('value')), {
        maxLength: 3,
        selector: ([name]) => name,
      })
      .map((fields) => `{${fields.map(([name, part]) => `"${name}":${part}`).join(',')}}`),
  ),
})).value;

test('a body that is parsed and written again is the same text', () => {
  fc.assert(
    fc.property(document, (part) => {
      const text = `{"v":${part}}`;
      expect(exactJson(parseJson(text))).toBe(text);
    }),
    { numRuns: runs(125, 100_000) },
  );
});

describe.each(['PostgreSQL', 'MariaDB'])('%s', (kind) => {
  let database: TestDatasource;
  const marker = kind === 'PostgreSQL' ? '$1' : '?';

  beforeAll(async () => {
    database =
      kind === 'PostgreSQL' ? await openPostgres('exact_numbers') : await openMariadb('exact_numbers');
    const type = kind === 'PostgreSQL' ? 'jsonb' : 'json';
    await database.server.exec('exact_numbers', `create table doc (j ${type})`);
  });

  afterAll(() => database.datasource.close(performance.now() + 1000));

  /** The stored value as text without spaces. */
  async function stored(value: PassedValue, sql = `insert into doc values (${marker})`): Promise<unknown> {
    await database.server.exec('exact_numbers', 'delete from doc');
    const update = database.datasource.update({
      ...{ operation: 'o', fulfillment: 'f', sql },
      ...(kind === 'MariaDB' && sql.endsWith('(?)') ? { parameterTypes: 'SELECT j FROM doc' } : {}),
    });
    await update(testCall(), [value]);
    const type = kind === 'PostgreSQL' ? 'text' : 'char';
    const [row] = await read(database.datasource, `select cast(j as ${type}) as t from doc`);
    const text = row?.['t'];
    return typeof text === 'string' ? text.replaceAll(/(?<=[:,]) /g, '') : text;
  }

  test('any body, and any part of one', async () => {
    await fc.assert(
      fc.asyncProperty(document, async (part) => {
        fc.pre(part !== 'null' && !part.includes('__proto__'));
        const body = parseJson(`{"v":${part},"w":"9007199254740993"}`);
        const expected = sorted(part);
        expect(sorted(String(await stored(exact(body, 'v'))))).toBe(expected);
        const list = parseJson(`[{"v":"1"},{"v":${part}}]`);
        expect(sorted(String(await stored(exact(list, 1, 'v'))))).toBe(expected);
        expect(sorted(String(await stored(get(list, every, 'v'))))).toBe(sorted(`["1",${part}]`));
      }),
      { numRuns: runs(10, 1000) },
    );
  });

  test('a number and a string of the same digits, in a list of an IN, too', async () => {
    const list = parseJson('[9007199254740993,"9007199254740993"]') as Json[];
    expect(await stored(exact(list, 0))).toBe('9007199254740993');
    expect(await stored(exact(list, 1))).toBe('"9007199254740993"');
    const { values } = renderSql(
      sql`insert into doc select j from doc where j ${inList()}`,
      [list],
      kind === 'PostgreSQL' ? 'postgresql' : 'mysql',
    );
    expect(values).toStrictEqual([new ExactDigits('9007199254740993'), '9007199254740993']);
  });

  test.runIf(kind === 'PostgreSQL')('parameters of several elements that are read together', async () => {
    const definition = { operation: 'o', fulfillment: 'f', parameters: ['p'] };
    const of = (sql: string, list: object) => database.datasource.read({ ...definition, sql, ...list });
    const values = ['{"a":1}', 'x'];
    const one = of('select jsonb_typeof($1::jsonb) as t', {});
    const all = of('select jsonb_typeof(v) as t from unnest($1::jsonb[]) as v', {});
    const types = await Promise.all(values.map(async (value) => (await one(testCall(), [value]))[0]));
    expect(types).toEqual([{ t: 'object' }, { t: 'string' }]);
    expect(await all(testCall(), [values])).toEqual(types);
  });

  test('a part of a document that was read', async () => {
    await stored(parseJson('{"v":9007199254740993,"w":"9007199254740993"}'));
    const [row] = await read(database.datasource, 'select j from doc');
    expect(await stored(exact(row?.['j'], 'v'))).toBe('9007199254740993');
    expect(await stored(exact(row?.['j'], 'w'))).toBe('"9007199254740993"');
  });

  test.runIf(kind === 'MariaDB')('a value that is put into a document', async () => {
    const sql = `insert into doc select json_object('n', json_extract(?, '$'))`;
    const body = parseJson('{"v":9007199254740993,"w":"9007199254740993"}');
    expect(await stored(jsonText(exact(body, 'v')), sql)).toBe('{"n":9007199254740993}');
    expect(await stored(jsonText(exact(body, 'w')), sql)).toBe('{"n":"9007199254740993"}');
  });

  test.runIf(kind === 'PostgreSQL')('a list of documents', async () => {
    const body = parseJson('{"v":[9007199254740993,"9007199254740993",{"a":1e400}]}');
    const sql = 'insert into doc select to_jsonb($1::jsonb[])';
    const large = `1${'0'.repeat(400)}`;
    expect(await stored(get(body, 'v'), sql)).toBe(`[9007199254740993,"9007199254740993",{"a":${large}}]`);
  });

  test.runIf(kind === 'PostgreSQL').each(['json', 'jsonb'])(
    'a list of documents that was read: %s[]',
    async (type) => {
      const documents = `array['9007199254740993', ' "9007199254740993"', '{"a":9007199254740993}', null, '7']`;
      const [row] = await read(
        database.datasource,
        `select ${documents}::${type}[] as list, array[${documents}]::${type}[] as lists`,
      );
      const list = '[9007199254740993,"9007199254740993",{"a":9007199254740993},null,7]';
      const sql = `insert into doc select to_jsonb($1::${type}[])`;
      expect(await stored(row?.['list'], sql)).toBe(list);
      expect(await stored(row?.['lists'], sql)).toBe(`[${list}]`);
      expect(await stored(exact(row?.['list'], 0))).toBe('9007199254740993');
      expect(await stored(exact(row?.['list'], 1))).toBe('"9007199254740993"');
      expect(await stored(exact(row?.['lists'], 0, 2, 'a'))).toBe('9007199254740993');
    },
  );
});

/** The JSON with sorted fields, and with its numbers turned into marked strings. */
function sorted(text: string): string {
  const marked = text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.]*/g, (one) =>
    one.startsWith('"') ? one : `"number ${one}"`,
  );
  const order = (value: Json): Json =>
    Array.isArray(value)
      ? value.map(order)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([name, part]) => [name, order(part)]),
          )
        : value;
  return JSON.stringify(order(JSON.parse(marked) as Json));
}
