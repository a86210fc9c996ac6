/** Values in a page token are bound for comparison with a MySQL column: a manipulated value is refused, or does not match. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import { columnParameter, positionBinder } from '../../../runtime/mysql/column-value.js';
import type { MysqlColumn } from '../../../runtime/mysql/column-types.js';
import { UnfitValueError } from '../../../runtime/mysql/parameter.js';

const column = (columnType: number, more: Partial<MysqlColumn> = {}): MysqlColumn => ({
  ...{ name: 'a', columnType, columnLength: 11, flags: 0, characterSet: 45 },
  ...more,
});
const types = { decimal: 246, tinyint: 1, float: 4, double: 5, int: 3, varchar: 253 };
const bound = (type: keyof typeof types, value: Json): unknown =>
  columnParameter(positionBinder(column(types[type])), value, false);

test.each([
  ['float', 1.1, Math.fround(1.1)],
  ['double', 1.1, 1.1],
  ['int', 7, 7n],
  ['tinyint', true, 1n],
  ['tinyint', false, 0n],
  ['decimal', '-12345678901234567890.5', '-12345678901234567890.5'],
] as const)('%s %j is bound as a number', (type, value, expected) => {
  expect(bound(type, value)).toMatchObject({ value: expected });
});

test('a text stays one', () => {
  expect(bound('varchar', '1')).toBe('1');
});

test.each([
  ['float', '1.1'],
  ['double', true],
  ['int', '1 OR 1'],
  ['decimal', '1e5'],
  ['decimal', 'x'],
] as const)('%s %j is no number', (type, value) => {
  expect(() => bound(type, value)).toThrow(UnfitValueError);
});

describe('columns that are sorted otherwise than they compare', () => {
  test.each([
    ['ENUM', column(254, { flags: 256 })],
    ['SET', column(254, { flags: 2048 })],
    ['JSON', column(245)],
    ['JSON of MariaDB', column(252, { extendedFormat: 'json' })],
    ['GEOMETRY', column(255)],
  ])('%s', (_, of) => {
    expect(() => positionBinder(of)).toThrow('a list is ordered by ENUM, SET or JSON');
  });
});
