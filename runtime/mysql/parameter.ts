/** Parameters of a prepared statement, with their protocol types. */
import mysql2, { type TypedParameterValue } from 'mysql2';
import { exactJson } from '../handler/exact-numbers.js';
import type { Json } from '../handler/json.js';
import { isIllFormed, plainDigits } from '../sql/column-values.js';
import { BoundBytes, BoundNumber, type SqlValue } from '../sql/sql-template.js';

export type MysqlParameter = string | Buffer | TypedParameterValue | null;

/** Not a named import, because Node does not detect this export. */
const { TypedParameter } = mysql2;

/** A value that cannot be bound, with a description of valid values. */
export class UnfitValueError extends Error {
  override readonly name = 'UnfitValueError';

  constructor(readonly expected: string) {
    super(`expected ${expected}`);
  }
}

/**
 * The parameter for a value. Numbers are sent as strings, like strings: when comparing a string column with a number, the server
 * converts every string to a number, and 0 would match nearly all strings. Only a BoundNumber is sent as a number. Arrays and objects
 * are sent as JSON. Throws an UnfitValueError for a string with unpaired surrogates, and for a BoundNumber that is not a number.
 */
export function mysqlParameter(value: SqlValue): MysqlParameter {
  switch (typeof value) {
    case 'string':
      if (isIllFormed(value)) throw new UnfitValueError('a string without lone surrogates');
      return value;
    case 'number':
      return plainDigits(value) ?? null;
    case 'boolean':
      return value ? '1' : '0';
    default:
      if (value === null) return null;
      if (value instanceof BoundBytes) return value.toBuffer();
      return value instanceof BoundNumber ? numberParameter(value.digits) : jsonParameter(value);
  }
}

/** A value as a JSON document. */
export function jsonParameter(value: Json): string {
  return exactJson(value);
}

const integer = /^[+-]?\d{1,20}$/;
const largest = { signed: 2n ** 63n - 1n, unsigned: 2n ** 64n - 1n };

/**
 * BIGINT for a 64-bit integer; DECIMAL with exactly the given digits, if there are at most 65 digits and at most 30 after the point;
 * otherwise DOUBLE. The server interprets literals in the same way.
 */
export function numberParameter(digits: string | undefined): TypedParameterValue {
  if (digits === undefined) throw new UnfitValueError('a number');
  if (integer.test(digits)) {
    const number = BigInt(digits.replace('+', ''));
    if (number >= -largest.signed - 1n && number <= largest.signed) return TypedParameter.LONGLONG(number);
    if (number > 0n && number <= largest.unsigned) return TypedParameter.LONGLONG.unsigned(number);
  }
  const decimal = decimalDigits(digits);
  return decimal === undefined ? TypedParameter.DOUBLE(Number(digits)) : TypedParameter.NEWDECIMAL(decimal);
}

/** The number without an exponent; undefined if it has too many digits for a DECIMAL. */
function decimalDigits(digits: string): string | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(digits);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const point = whole.length + Number(exponent);
  if (Math.abs(point) > 100) return undefined;
  const all = whole + fraction;
  const [before, behind] =
    point <= 0 ? ['', '0'.repeat(-point) + all] : [all.padEnd(point, '0').slice(0, point), all.slice(point)];
  const significant = before.replace(/^0+/, '');
  if (behind.length > 30 || significant.length + behind.length > 65) return undefined;
  return `${sign}${significant === '' ? '0' : significant}${behind === '' ? '' : `.${behind}`}`;
}
