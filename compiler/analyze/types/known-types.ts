/** Common types: of constants, rows and counts, and constructors for larger types. */
import type { FailureKind } from '../../../runtime/rest/failure.js';
import type { MailFailureKind } from '../../../runtime/smtp/failure.js';
import type { Fields, Kind, Origin, ValueType } from './value-type.js';

/** A type of which only the kinds are known. */
export function only(...kinds: Kind[]): ValueType {
  return { kinds: new Set(kinds) };
}

/** Any JSON value: parameters, bodies, columns, responses of third parties. */
export const unknownValue: ValueType = only('null', 'boolean', 'number', 'string', 'array', 'object');
export const nullValue: ValueType = { ...only('null'), constant: null };
export const booleanValue: ValueType = only('boolean');
export const row: ValueType = only('object');
/** An object with any fields. */
export const anyObject: ValueType = only('object');
/** The elements of a LOOP or `list` over an object, with `key` and `val`. */
export const entry: ValueType = {
  ...only('object'),
  fields: fieldsOf(
    new Map([
      ['key', only('string')],
      ['val', unknownValue],
    ]),
    { kind: 'entries' },
    true,
  ),
};
/** The result of a database statement with unknown columns. */
export const rows: ValueType = rowsOf(row);
export const textValue: ValueType = only('string');
export const numberValue: ValueType = only('number');
/** A number, or a string if a double cannot represent it. */
export const numberOrText: ValueType = { ...only('number', 'string'), isExactNumber: true };
/** A date or timestamp. */
export const timeValue: ValueType = { ...only('string'), isTime: true };
/** The type of NOW: never the string of a boolean. Comparisons with strings that are not times have a separate diagnostic. */
export const nowValue: ValueType = {
  ...timeValue,
  form: { fits: (text) => text !== 'true' && text !== 'false', example: '2000-01-01T00:00:00.000Z' },
};
/** The type of UUID. */
export const uuidValue: ValueType = {
  ...textValue,
  form: {
    fits: (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
    example: '00000000-0000-4000-8000-000000000000',
  },
};
/** The type of SIZE, and of the elements of LIST: 0, 1, 2 … */
export const count: ValueType = { ...only('number'), wholeFrom: 0 };
/** The type of STATUS: null if nothing was sent. */
export const status: ValueType = { ...only('null', 'number'), wholeFrom: 100, wholeTo: 999 };
/** The type of FAILURE of requests and mails: null if the response was usable. */
export const failure: ValueType = {
  ...only('null', 'string'),
  words: new Set(['unreachable', 'timeout', 'tooLarge', 'unreadable', 'deferred', 'refused'] satisfies (
    FailureKind | MailFailureKind
  )[]),
};

export function constantOf(constant: string | number | boolean): ValueType {
  const kind = typeof constant;
  return { kinds: new Set([kind === 'string' || kind === 'number' ? kind : 'boolean']), constant };
}

export function arrayOf(element: ValueType): ValueType {
  return { ...only('array'), element };
}

/** The result of a database statement whose rows have that type. */
export function rowsOf(element: ValueType): ValueType {
  return { ...only('array'), element, isRows: true };
}

export function objectOf(fields: Fields): ValueType {
  return { ...only('object'), fields };
}

/** One of a few strings. */
export function wordOf(words: Iterable<string>): ValueType {
  return { ...only('string'), words: new Set(words) };
}

/** Fields whose types are already known. */
export function fieldsOf(types: ReadonlyMap<string, ValueType>, origin: Origin, isClosed: boolean): Fields {
  return { names: [...types.keys()], isClosed, origin, typeOf: (name) => types.get(name) };
}
