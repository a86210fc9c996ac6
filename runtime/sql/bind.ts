/** JSON values as the scalars that a driver may see: never an object, an array, a number or a boolean. */
import { ServiceError } from '../service-error.js';
import { BoundNumber, type SqlValue } from './sql-value.js';

/** How a dialect writes true and false. */
export type BooleanTexts = readonly [no: string, yes: string];

/** What a driver sees of a value. */
export type BoundValue = string | BoundNumber | null;

/** A surrogate without its partner: no character, and both drivers would silently send another one for it. */
const loneSurrogate = /\p{Surrogate}/u;

/**
 * The texts that are bound for the values, null for null. Numbers travel as decimal digits: a MySQL server compares a
 * text column with a number by turning every text into a number, so that 0 would match nearly all of them. Arrays
 * and objects travel as JSON text (decisions 5.3). Throws a ServiceError 400 for a text that is not well-formed.
 */
export function bindValues(values: readonly SqlValue[], booleans: BooleanTexts): BoundValue[] {
  return values.map((value) => bindValue(value, booleans));
}

/** Whether the string has a surrogate without its partner, which no database can store. */
export function isIllFormed(text: string): boolean {
  return loneSurrogate.test(text);
}

function bindValue(value: SqlValue, booleans: BooleanTexts): BoundValue {
  switch (typeof value) {
    case 'string':
      if (isIllFormed(value)) throw new ServiceError(400, 'A text is not well-formed Unicode');
      return value;
    case 'number':
      return plainDigits(value);
    case 'boolean':
      return value ? booleans[1] : booleans[0];
    default:
      return value === null || value instanceof BoundNumber ? value : JSON.stringify(value);
  }
}

/** 1e21 is 1000000000000000000000, 1e-7 is 0.0000001; what is no finite number is null, as in JSON. */
export function plainDigits(value: number): string | null {
  if (!Number.isFinite(value)) return null;
  const text = String(value);
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', whole = '', fraction = '', exponent = ''] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, '0');
}
