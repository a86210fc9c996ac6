/** Rows whose numbers are sent as strings of digits: the bytes of both databases are those of the values. */
import { afterAll, expect, test } from 'vitest';
import { digits, withDigits } from '../../../runtime/values/digits.js';
import { JsonRows } from '../../../runtime/handler/rows-as-json.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { jsonRows } from '../../../runtime/responses/json-rows.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';

const opened: DatabaseDatasource[] = [];

afterAll(async () => {
  await Promise.all(opened.map((one) => one.close(performance.now())));
});

async function connected(kind: 'postgres' | 'mysql'): Promise<DatabaseDatasource> {
  const server = await (kind === 'mysql' ? sharedMariadb() : sharedPostgres());
  await server.createDatabase('json_digits');
  const datasource = (kind === 'mysql' ? mysql : postgres)({ name: 'testdb' });
  const { user, password } = server;
  datasource.open({ url: server.jdbcUrl('json_digits'), user, password });
  opened.push(datasource);
  return datasource;
}

const numbers = ['0', '7', '-7', '10.10', '-0.50', '0.001', '120000', '123456789012.345', '0.0000001'];
const long = ['12345678901234567890.50', '-99999999999999.999', '9007199254740993'];

test.each(['postgres', 'mysql'] as const)('%s', async (kind) => {
  const datasource = await connected(kind);
  const decimal = (text: string): string => `CAST(${text} AS decimal(40,10)) AS a`;
  const small = (text: string): string => `CAST(${text} AS decimal(18,3)) AS b`;
  const whole = (text: string): string => `CAST(${text} AS ${kind === 'mysql' ? 'signed' : 'bigint'}) AS c`;
  const selects = [...numbers, ...long, 'NULL'].map(
    (text) =>
      `SELECT ${decimal(text)}, ${small(text.length > 15 ? '1' : text)}, ${whole(text.replace(/\..*/, '').replace(/^\d{17,}$/, '9007199254740993'))}, 'x' AS d, 1.5e0 AS e`,
  );
  const sql = selects.join(' UNION ALL ');
  const statement = datasource.read({ operation: 'GET /rows', fulfillment: 'rows', sql });
  const decoded = await statement(testCall(), []);
  for (const scales of [{ a: 0, b: 3, c: 0 }, { a: 12, b: 0 }, { b: 5, d: 2, missing: 1 }, { c: 2 }]) {
    const rows = await jsonRows(statement, testCall(), [], undefined, scales);
    if (!(rows instanceof JsonRows)) throw new Error('The rows are values.');
    const text = typeof rows.json === 'string' ? rows.json : Buffer.concat(rows.json).toString();
    expect(text).toBe(JSON.stringify(withDigits(decoded, scales)));
  }
});

test('a number has at least the digits of its scale, and no exponent', () => {
  expect(digits(10.1, 2)).toBe('10.10');
  expect(digits(7)).toBe('7');
  expect(digits(7, 2)).toBe('7.00');
  expect(digits(-0.5, 3)).toBe('-0.500');
  expect(digits(1e-7)).toBe('0.0000001');
  expect(digits(1e21)).toBe('1000000000000000000000');
  expect(digits(0.123, 2)).toBe('0.123');
  expect(digits('12345678901234567890.50', 2)).toBe('12345678901234567890.50');
  expect(digits([1, [2, null], 'x'], 1)).toEqual(['1.0', ['2.0', null], 'x']);
  expect(digits(undefined)).toBeNull();
  expect(digits(true)).toBe(true);
});

test('rows keep their other fields, in their order, and are not changed', () => {
  const rows = [{ id: 1, net: 2, more: { net: 3 } }, null];
  expect(JSON.stringify(withDigits(rows, { net: 2, none: 1, more: { net: 1 } }))).toBe(
    '[{"id":1,"net":"2.00","more":{"net":"3.0"}},null]',
  );
  expect(rows[0]?.net).toBe(2);
  expect(withDigits(undefined, { net: 2 })).toBeNull();
  expect(withDigits('text', { net: 2 })).toBe('text');
});
