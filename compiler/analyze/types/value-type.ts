/** The type of a value before the service runs: the kinds of JSON that it can be, and more where more is certain. */

export type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** All kinds, in the order in which types are written. */
export const allKinds: readonly Kind[] = ['boolean', 'number', 'string', 'array', 'object', 'null'];

/** Whether nothing is known of the value's kind. */
export function isAnything({ kinds }: Pick<ValueType, 'kinds'>): boolean {
  return kinds.size === 6;
}

export interface ValueType {
  /** Every kind that the value can have; all of them where nothing is known. Without null it is never null. */
  readonly kinds: ReadonlySet<Kind>;
  /** The value, where it is always the same. */
  readonly constant?: string | number | boolean | null;
  /** True where its strings are the digits of numbers that a double cannot hold. */
  readonly isExactNumber?: true;
  /** Where its numbers are whole: the smallest that they can be. */
  readonly wholeFrom?: number;
  /** The type of the elements of an array. */
  readonly element?: ValueType;
  /** True for the rows of a database statement, which are objects and never null. */
  readonly isRows?: true;
  /** True for a column that its statement mentions elsewhere too, so that only some of its values may be among the rows. */
  readonly isFiltered?: true;
  /** True for a column that is nullable in its table, unless more is known. */
  readonly isOftenNull?: true;
  /** The type of a column as the database calls it. */
  readonly column?: string;
  /** The fields of an object by name, where some are known. */
  readonly fields?: Fields;
  /** Of its strings: all that there can be, where they are few: an enum. */
  readonly words?: ReadonlySet<string>;
}

/** The origin of the fields. */
export type Origin =
  /** The rows of a fulfillment. */
  | { readonly kind: 'rows'; readonly fulfillment: string }
  /** The response of an operation that a reference calls. */
  | { readonly kind: 'response'; readonly operation: string }
  /** The elements of a loop or list over an object. */
  | { readonly kind: 'entries' }
  /** An object that a schema notation of the configuration builds. */
  | { readonly kind: 'built' }
  /** The value that is sent as the body of an error. */
  | { readonly kind: 'error' }
  /** A schema of the API description. */
  | { readonly kind: 'described' };

export interface Fields {
  /** In the order in which they are written. */
  readonly names: readonly string[];
  /** True if there can be no others. */
  readonly isClosed: boolean;
  /** True if the server may use another letter case for the names. */
  readonly inAnyCase?: true;
  /** True if another server may use another letter case than the one that has told the names. */
  readonly isSpelledByServer?: true;
  readonly origin: Origin;
  /** If an object may lack the field of that name: its type if it exists. Left out if it is unknown. */
  optional?(name: string): ValueType | undefined;
  /** Undefined for an unknown name. A function, since descriptions of models may refer back to themselves. */
  typeOf(name: string): ValueType | undefined;
}
