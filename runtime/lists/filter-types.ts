/** The operators and types of filters: the values that a request may send, which are the same on both databases. */
import type { Json } from '../handler/json.js';

export const filterOperators = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'contains',
  'startsWith',
  'null',
] as const;

export type FilterOperator = (typeof filterOperators)[number];

/** The most conditions of a request, and the most values of an `in`. */
export const maxConditions = 20;
export const maxValues = 100;

/** The most nodes of a tree that a user function returns. */
export const maxNodes = 50;

/** One name of `allow`: the column that it filters, and how. */
export interface FilterColumn {
  readonly column: string;
  readonly type: FilterType;
  readonly operators: readonly FilterOperator[];
  /** Whether the value of the parameter is compared with the only operator: `?cheaperThan=7`. */
  readonly plain?: true;
  /** Separates the values of `in` in one string. */
  readonly separator?: string;
  /** The labels of an enum; other values are refused. */
  readonly labels?: readonly string[];
}

export const filterTypes = ['string', 'integer', 'number', 'boolean', 'date', 'timestamp', 'uuid'] as const;

export type FilterType = (typeof filterTypes)[number];

/** The value for the database, or a description of valid values. Parameters are strings: `7` is a number, and `true` a boolean. */
export function fits(
  value: Json,
  type: FilterType,
): { readonly value: Json } | { readonly expected: string } {
  const { expected, read } = types[type];
  const found = read(value);
  return found === undefined ? { expected } : { value: found };
}

interface ReadType {
  readonly expected: string;
  /** Undefined for an invalid value. */
  readonly read: (value: Json) => Json | undefined;
}

const matching = (form: RegExp) => (value: Json) =>
  typeof value === 'string' && form.test(value) ? value : undefined;

const types: Readonly<Record<FilterType, ReadType>> = {
  string: {
    expected: 'a string',
    read: (value) => (typeof value === 'string' && !value.includes('\0') ? value : undefined),
  },
  integer: {
    expected: 'an integer',
    read: (value) => (Number.isInteger(value) ? value : matching(/^-?\d{1,40}$/)(value)),
  },
  number: {
    expected: 'a number',
    read: (value) => (typeof value === 'number' ? value : matching(/^-?\d{1,60}(?:\.\d{1,60})?$/)(value)),
  },
  boolean: {
    expected: 'true or false',
    read: (value) => {
      if (typeof value === 'boolean') return value;
      return value === 'true' || value === 'false' ? value === 'true' : undefined;
    },
  },
  date: { expected: 'a date', read: (value) => (isTime(value, dateForm) ? value : undefined) },
  timestamp: {
    expected: 'a date or timestamp',
    read: (value) => (isTime(value, timestampForm) ? value : undefined),
  },
  uuid: { expected: 'a UUID', read: matching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i) },
};

const dateForm = /^(\d{4})-(\d\d)-(\d\d)$/;
const timestampForm =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)?)?$/;

/** Whether the string has the form, and its day exists. */
function isTime(value: Json, form: RegExp): boolean {
  const match = typeof value === 'string' ? form.exec(value) : null;
  if (match === null) return false;
  const [year = 0, month = 0, day = 0] = match.slice(1, 4).map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
