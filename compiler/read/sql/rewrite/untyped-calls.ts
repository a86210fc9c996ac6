/** Built-in functions of PostgreSQL whose meaning depends on the type of arguments that can be parameters without one. */

/** A type to write, and its meaning. */
export interface Choice {
  readonly type: string;
  readonly meaning: string;
}

export interface UntypedCall {
  /** The arguments, counted from 0, one of which must have a type; all arguments if it is empty. */
  readonly members: readonly number[];
  /** The number of arguments that this is about; any where it is undefined. */
  readonly count?: number;
  /** True if the server silently uses text; else it refuses the statement (42725). */
  readonly isSilent: boolean;
  readonly choices: readonly Choice[];
  /** See `Group` in untyped-values.ts. */
  readonly isOptional?: true;
  readonly isQuiet?: true;
}

export const number: Choice = { type: 'numeric', meaning: ' for a number' };
export const integer: Choice = { type: 'int', meaning: ' for a number' };
export const string: Choice = { type: 'text', meaning: ' for a string' };
export const day: Choice = { type: 'date', meaning: ' for a date' };
export const truth: Choice = { type: 'boolean', meaning: '' };
export const timestamp: Choice = { type: 'timestamp', meaning: ' for a date' };
const only = ({ type }: Choice): Choice[] => [{ type, meaning: '' }];
const position: Choice = { type: 'int', meaning: ' for a position' };
const pattern: Choice = { type: 'text', meaning: ' for a pattern' };
const arrays: readonly Choice[] = [
  { type: 'text[]', meaning: ' for strings' },
  { type: 'int[]', meaning: ' for numbers' },
];

const ofNumber: UntypedCall = { members: [0], isSilent: false, choices: only(number) };
const ofInteger: UntypedCall = { members: [0], isSilent: false, choices: only(integer) };
const ofIntegers: UntypedCall = { members: [0, 1], count: 2, isSilent: false, choices: only(integer) };
const ofDate: UntypedCall = { members: [0], count: 1, isSilent: false, choices: only(timestamp) };
const ofArray: UntypedCall = { members: [0], isSilent: false, choices: arrays };
/** With a value of unknown type it calculates in double precision: `round` of 2.5 is 2, and `abs` loses digits of a bigint. */
const ofDouble: UntypedCall = {
  ...{ members: [0], count: 1, isSilent: true },
  ...{ choices: only(number), isOptional: true },
};
const alternatives: UntypedCall = { members: [], isSilent: true, choices: [number, truth], isQuiet: true };
const alike: UntypedCall = { members: [], isSilent: true, choices: [number, string, day] };

/** By name; the first with that number of arguments. Measured on PostgreSQL 15. */
export const untypedCalls: Readonly<Record<string, readonly UntypedCall[]>> = {
  SUBSTRING: [
    { members: [1], count: 2, isSilent: true, choices: [position, pattern] },
    { members: [1, 2], count: 3, isSilent: true, choices: [position, pattern] },
  ],
  GREATEST: [alike],
  LEAST: [alike],
  COALESCE: [alternatives],
  NULLIF: [{ ...alternatives, isOptional: true }],
  MIN: [alike],
  MAX: [alike],
  SUM: [ofNumber],
  AVG: [ofNumber],
  TRUNC: [{ ...ofNumber, count: 1 }],
  ...{ ROUND: [ofDouble], ABS: [ofDouble], SIGN: [ofDouble] },
  ...{ CEIL: [ofDouble], CEILING: [ofDouble], FLOOR: [ofDouble] },
  BIT_AND: [ofInteger],
  BIT_OR: [ofInteger],
  TO_HEX: [ofInteger],
  MOD: [ofIntegers],
  GCD: [ofIntegers],
  LCM: [ofIntegers],
  AGE: [ofDate],
  ISFINITE: [ofDate],
  DATE_TRUNC: [{ members: [1], count: 2, isSilent: false, choices: only(timestamp) }],
  DATE_PART: [{ members: [1], count: 2, isSilent: false, choices: only(timestamp) }],
  TO_CHAR: [{ members: [0], count: 2, isSilent: false, choices: [number, timestamp] }],
  GENERATE_SERIES: [
    { members: [0, 1], count: 2, isSilent: false, choices: only(integer) },
    { members: [0, 1, 2], count: 3, isSilent: false, choices: [integer, timestamp] },
  ],
  UNNEST: [{ ...ofArray, count: 1 }],
  CARDINALITY: [ofArray],
  ARRAY_LENGTH: [ofArray],
  ARRAY_NDIMS: [ofArray],
  ARRAY_DIMS: [ofArray],
  ARRAY_UPPER: [ofArray],
  ARRAY_LOWER: [ofArray],
  ARRAY_TO_STRING: [ofArray],
  ARRAY_TO_JSON: [ofArray],
};
