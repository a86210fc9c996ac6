/** The type of a value at build time: its possible JSON kinds, and further facts if known. */
import type { Request } from '../../read/config/config-model.js';
import type { Path } from '../../read/expression/ast.js';

export type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** All kinds, in the order in which types are printed. */
export const allKinds: readonly Kind[] = ['boolean', 'number', 'string', 'array', 'object', 'null'];

/** Whether the kind of the value is unknown. */
export function isAnything({ kinds }: Pick<ValueType, 'kinds'>): boolean {
  return kinds.size === 6;
}

/** The kinds of its values in JSON: without the strings of numbers that a double cannot hold, if a double holds all of them. */
export function kindsAsSent({
  kinds,
  isExactNumber,
  decimals,
}: Pick<ValueType, 'kinds' | 'isExactNumber' | 'decimals'>): ReadonlySet<Kind> {
  const isSafe = isExactNumber === true && decimals?.isSafe === true;
  return isSafe ? new Set([...kinds].filter((kind) => kind !== 'string')) : kinds;
}

export interface ValueType {
  /** Every possible kind; all kinds if unknown. */
  readonly kinds: ReadonlySet<Kind>;
  /** The value, if it is constant. */
  readonly constant?: string | number | boolean | null;
  /** True if strings of this type are numbers that a double cannot represent. */
  readonly isExactNumber?: true;
  /** Of the exact numbers of a database. */
  readonly decimals?: Decimals;
  /** True where its strings are dates or timestamps. */
  readonly isTime?: true;
  /** Set if numbers of this type are integers: the minimum. */
  readonly wholeFrom?: number;
  /** The maximum of these integers, if any. */
  readonly wholeTo?: number;
  /** The element type of arrays. */
  readonly element?: ValueType;
  /** True for rows of a database statement, which are objects and never null. */
  readonly isRows?: true;
  /** True for a column that is also used elsewhere in its statement, so that the result may contain only some of its values. */
  readonly isFiltered?: true;
  /** True for a column that is nullable in its table, unless nulls are excluded. */
  readonly isOftenNull?: true;
  /** The database type of the column. */
  readonly column?: string;
  /** The fields of an object, if some are known. */
  readonly fields?: Fields;
  /** All possible strings, if there are few, as in an enum. */
  readonly words?: ReadonlySet<string>;
  /** The common form of all strings. */
  readonly form?: Form;
  /** A third party's claim about the value. It is shown to people, but code generation ignores it because it is uncertain. */
  readonly claim?: Claim;
}

/** Facts about columns of the types bigint, numeric and decimal. */
export interface Decimals {
  /** The number of digits after the point; undefined if values have different numbers of digits there. */
  readonly scale: number | undefined;
  /** Whether a double holds every value: then no value is a string. */
  readonly isSafe: boolean;
}

export interface Form {
  /** False for impossible strings. */
  readonly fits: (text: string) => boolean;
  /** A possible string. */
  readonly example: string;
  /** The few possible strings; other spellings are possible if `fits` accepts them. */
  readonly words?: readonly string[];
}

export interface Claim {
  readonly type: ValueType;
  /** The datasource whose description makes the claim. */
  readonly datasource: string;
  readonly request: Request;
  /** The path of the value in the request's result; undefined if there are several. */
  readonly path: Path | undefined;
}

/** The origin of the fields. */
export type Origin =
  /** The rows of a fulfillment. */
  | { readonly kind: 'rows'; readonly fulfillment: string }
  /** The response of an operation called by a reference. */
  | { readonly kind: 'response'; readonly operation: string }
  /** The value of a COMPUTE. */
  | { readonly kind: 'computed'; readonly fulfillment: string }
  /** The elements of a loop or list over an object. */
  | { readonly kind: 'entries' }
  /** An object built from schema notation in the configuration. */
  | { readonly kind: 'built' }
  /** The error described by an error body. */
  | { readonly kind: 'error' }
  /** A schema of the API description. */
  | { readonly kind: 'described' };

export interface Fields {
  /** Names in source order. */
  readonly names: readonly string[];
  /** True if no other fields are possible. */
  readonly isClosed: boolean;
  /** True if the server may use a different letter case for the names. */
  readonly inAnyCase?: true;
  /** True if another server may use a different letter case for the names. */
  readonly isSpelledByServer?: true;
  readonly origin: Origin;
  /** The type of an optional field if it is present; undefined if the field is required. Omitted if unknown. */
  optional?(name: string): ValueType | undefined;
  /** The type of a field; undefined for an unknown name. A function, because models can be recursive. */
  typeOf(name: string): ValueType | undefined;
}
