/**
 * Values combined with a numeric column, as in COALESCE, on MariaDB: a value returned in place of the column is a number like the column,
 * and a compared value finds its row.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { selectText, typesOf } from '../../../compiler/read/sql/facts/mysql-columns.js';
import { parseText } from '../../../compiler/read/sql/parse/parse-text.js';
import type { Json, Row } from '../../../runtime/handler/json.js';
import { typed } from '../../../runtime/mysql/number.js';
import type { PassedValue } from '../../../runtime/sql/sql-template.js';
import { testCall } from '../../helpers/test-call.js';
import { openMariadb, update, type TestDatasource } from './open-datasource.js';

let opened: TestDatasource;
beforeAll(async () => {
  opened = await openMariadb('alternatives');
  const types = 'tinyint smallint mediumint int bigint float double'.split(' ');
  const columns = [
    ...types.map((type) => `of_${type} ${type}`),
    'of_decimal decimal(10,2)',
    'flag tinyint(1)',
    'word varchar(20)',
  ];
  await update(opened.datasource, `create table item (id int primary key, ${columns.join(', ')})`);
  const names = columns.map((column) => column.split(' ')[0] ?? '');
  for (const [id, value] of ['9', '10', 'null', '1.1'].entries()) {
    const whole = value === '1.1' ? '1' : value;
    const values = names.map((name) =>
      /float|double|decimal/.test(name) ? value : name === 'flag' ? 'null' : whole,
    );
    await update(opened.datasource, `insert into item values (${id}, ${values.join(', ')})`);
  }
});
afterAll(() => opened.datasource.close(performance.now() + 1000));

/** Runs the statement like generated code. */
function run(text: string, ...values: PassedValue[]): Promise<Row[]> {
  const comparedTypes = selectText(typesOf(parseText(text, 'mysql')).compared);
  const definition = { operation: 'GET /test', fulfillment: 'found', sql: text };
  return opened.datasource.read({ ...definition, ...(comparedTypes === undefined ? {} : { comparedTypes }) })(
    testCall(),
    values,
  );
}

async function only(text: string, ...values: PassedValue[]): Promise<Json> {
  const [row] = await run(text, ...values);
  return Object.values(row ?? {})[0] ?? null;
}

test.each(['tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'float', 'double', 'decimal'])(
  'the digits of a parameter next to %s are a number',
  async (type) => {
    const column = `of_${type}`;
    expect(await only(`select max(coalesce(${column}, ?)) as x from item`, '2')).toBe(10);
    expect(await only(`select max(ifnull(${column}, ?)) as x from item`, 2)).toBe(10);
    expect(
      await only(
        `select coalesce(${column}, ?) as x from item order by coalesce(${column}, ?) desc, id limit 1`,
        '2',
        '2',
      ),
    ).toBe(10);
    expect(await only(`select if(id = 2, ?, ${column}) as x from item where id = 2`, '7')).toBe(7);
    expect(
      await only(`select case when id = 2 then ? else ${column} end as x from item where id = 2`, '-7'),
    ).toBe(-7);
    expect(await only(`select greatest(${column}, ?) as x from item where id = 1`, '9')).toBe(10);
    expect(await only(`select coalesce(i.${column}, ?) as x from item i where i.id = 2`, null)).toBe(null);
    // The value is returned as in SQL.
    expect(await only(`select coalesce(${column}, ?) as x from item where id = 2`, 'none')).toBe('none');
    expect(await only(`select coalesce(${column}, ?) as x from item where id = 2`, '1e999')).toBe('1e999');
  },
);

test('a parameter next to a truth value, and next to a string', async () => {
  expect(await only('select coalesce(flag, ?) as x from item where id = 2', 'true')).toBe('1');
  expect(await only('select coalesce(word, ?) as x from item where id = 2', '2')).toBe('2');
  expect(await only('select max(coalesce(word, ?)) as x from item', '2')).toBe('9');
});

test.each<[string, PassedValue]>([
  ['a string', '1.1'],
  ['a number', 1.1],
  ['a number of a body', typed(1.1)],
])('FLOAT has the digits of single precision, and is found: %s', async (_, value) => {
  for (const text of [
    'select coalesce(of_float, ?) as x from item where id = 2',
    'select coalesce(of_float, ?) as x from item where id = 3',
    'select if(id = 3, of_float, ?) as x from item where id = 3',
    'select greatest(of_float, ?) as x from item where id = 3',
    'select of_float as x from item where of_float = ?',
    'select of_float as x from item where of_float in (?)',
    'select of_float as x from item where coalesce(of_float, 0) = ?',
    'select of_float as x from item where of_float = coalesce(?, 0)',
    'select of_float as x from item where of_float = coalesce(?, of_float) and of_float < 5',
    'select of_float as x from item where coalesce(?, of_float) = of_float and of_float < 5',
    'select of_float as x from item where of_float between ? and 2',
    'select of_float as x from item where (of_float, id) = (?, 3)',
  ])
    expect(await only(text, value), text).toBe(1.1);
  expect(await run('select id from item where of_float < ?', value)).toEqual([]);
});
