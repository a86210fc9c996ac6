/** Value conversions for drivers that no test server can cover completely: timestamps with offsets, numbers with exponents. */
import mysql2, { type TypedParameterValue } from 'mysql2';
import { describe, expect, test } from 'vitest';
import { numberParameter } from '../../../runtime/mysql/parameter.js';
import { timestamp, timestamps } from '../../../runtime/mysql/timestamp.js';
import { utcTimestampValue } from '../../../runtime/sql/column-values.js';

describe('a timestamp of PostgreSQL, in UTC', () => {
  test.each([
    ['2026-01-31 12:00:00+00', '2026-01-31T12:00:00Z'],
    ['2026-01-31 12:00:00.250+00', '2026-01-31T12:00:00.25Z'],
    ['2026-01-01 01:30:00+05:30', '2025-12-31T20:00:00Z'],
    ['2026-01-31 23:30:00.500-02', '2026-02-01T01:30:00.5Z'],
    ['0026-03-01 00:00:00+00:00:30', '0026-02-28T23:59:30Z'],
    ['12026-01-31 12:00:00-01', '12026-01-31T13:00:00Z'],
    ['infinity', 'infinity'],
    ['0044-03-15 12:00:00+01 BC', '0044-03-15 12:00:00+01 BC'],
    ['999999-01-01 00:00:00+01', '999999-01-01 00:00:00+01'],
  ])('%s', (text, value) => {
    expect(utcTimestampValue(text)).toBe(value);
  });
});

describe('a timestamp for MySQL and MariaDB', () => {
  test.each([
    ['2026-01-31T12:00:00Z', '2026-01-31 12:00:00'],
    ['2026-01-31t12:00:00.250z', '2026-01-31 12:00:00.250'],
    ['2026-01-31 23:30:00-02:45', '2026-02-01 02:15:00'],
    ['2026-01-01T01:30:00+05:30', '2025-12-31 20:00:00'],
    ['0026-03-01T00:00:00+00:01', '0026-02-28 23:59:00'],
    ['2026-06-30T23:59:60Z', '2026-07-01 00:00:00'],
    ['0000-00-00T00:00:00Z', '0000-00-00 00:00:00'],
    ['0000-00-00T00:00:00+01:00', '0000-00-00T00:00:00+01:00'],
    ['2026-02-29T12:00:00Z', '2026-02-29T12:00:00Z'],
    ['2026-01-31T24:00:00Z', '2026-01-31T24:00:00Z'],
    ['2026-01-31T12:60:00Z', '2026-01-31T12:60:00Z'],
    ['2026-01-31T12:00:61Z', '2026-01-31T12:00:61Z'],
    ['9999-12-31T23:00:00-02:00', '9999-12-31T23:00:00-02:00'],
    ['2026-01-31 12:00:00', '2026-01-31 12:00:00'],
    ['soon', 'soon'],
    [5, 5],
    [undefined, null],
  ])('%j', (value, bound) => {
    expect(timestamp(value)).toBe(bound);
  });

  test('each of a list', () => {
    expect(timestamps(['2026-01-31T12:00:00Z', null])).toEqual(['2026-01-31 12:00:00', null]);
    expect(timestamps('2026-01-31T12:00:00Z')).toBe('2026-01-31 12:00:00');
  });
});

describe('a number for MySQL and MariaDB', () => {
  test.each([
    ['0', { LONGLONG: '0' }],
    ['+5', { LONGLONG: '5' }],
    ['-9223372036854775808', { LONGLONG: '-9223372036854775808' }],
    ['9223372036854775807', { LONGLONG: '9223372036854775807' }],
    ['9223372036854775808', { unsigned: '9223372036854775808' }],
    ['18446744073709551615', { unsigned: '18446744073709551615' }],
    ['18446744073709551616', { NEWDECIMAL: '18446744073709551616' }],
    ['-9223372036854775809', { NEWDECIMAL: '-9223372036854775809' }],
    ['1.50', { NEWDECIMAL: '1.50' }],
    ['-.5', { NEWDECIMAL: '-0.5' }],
    ['12.5e1', { NEWDECIMAL: '125' }],
    ['1e3', { NEWDECIMAL: '1000' }],
    ['15e-1', { NEWDECIMAL: '1.5' }],
    ['15e-4', { NEWDECIMAL: '0.0015' }],
    ['0001.0', { NEWDECIMAL: '1.0' }],
    [`1e-30`, { NEWDECIMAL: `0.${'0'.repeat(29)}1` }],
    [`1e-31`, { DOUBLE: '1e-31' }],
    [`1e64`, { NEWDECIMAL: `1${'0'.repeat(64)}` }],
    [`1e65`, { DOUBLE: '1e+65' }],
    [`1e101`, { DOUBLE: '1e+101' }],
    [`1e-101`, { DOUBLE: '1e-101' }],
  ])('%s', (digits, bound) => {
    expect(shown(numberParameter(digits))).toEqual(bound);
  });

  test('none where there is none', () => {
    expect(() => numberParameter(undefined)).toThrow('a number');
  });
});

/** The name of the type, and the value as a string. */
function shown({ type, value, unsigned }: TypedParameterValue): Record<string, string> {
  const name = unsigned ? 'unsigned' : (mysql2.Types as unknown as Record<number, string>)[type];
  return { [name ?? '']: String(value) };
}
