/** Built-in PostgreSQL functions whose behavior depends on argument types that an untyped parameter leaves open. */

/** A type that the author can write, and its effect. */
export interface Choice {
  readonly type: string;
  readonly meaning: string;
}

export interface UntypedCall {
  /** The indexes of the arguments of which at least one must have a type; empty for all arguments. */
  readonly members: readonly number[];
  /** The number of arguments of this variant; undefined for any number. */
  readonly count?: number;
  /** True if the server silently assumes text; otherwise it refuses the statement (42725). */
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
/** For a value of unknown type, these calculate in double precision: `round(2.5)` is 2, and `abs` loses digits of a bigint. */
const ofDouble: UntypedCall = {
  ...{ members: [0], count: 1, isSilent: true },
  ...{ choices: only(number), isOptional: true },
};
const alternatives: UntypedCall = { members: [], isSilent: true, choices: [number, truth], isQuiet: true };
const alike: UntypedCall = { members: [], isSilent: true, choices: [number, string, day] };

/** Variants by function name; the first with a matching number of arguments applies. Measured on PostgreSQL 15. */
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
