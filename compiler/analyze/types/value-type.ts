/** The type of a value before the service runs: the kinds of JSON that it can be, and more where more is certain. */
import type { Request } from '../../read/config/config-model.js';
import type { Path } from '../../read/expression/ast.js';

export type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** All kinds, in the order in which types are written. */
export const allKinds: readonly Kind[] = ['boolean', 'number', 'string', 'array', 'object', 'null'];

/** Whether nothing is known of the value's kind. */
export function isAnything({ kinds }: Pick<ValueType, 'kinds'>): boolean {
  return kinds.size === 6;
}

export interface ValueType {
  /** Every kind that the value can have; all kinds if nothing is known. Without null it is never null. */
  readonly kinds: ReadonlySet<Kind>;
  /** The value, where it is always the same. */
  readonly constant?: string | number | boolean | null;
  /** True where its strings are the digits of numbers that a double cannot hold. */
  readonly isExactNumber?: true;
  /** True where its strings are dates or timestamps. */
  readonly isTime?: true;
  /** Where its numbers are whole: the smallest that they can be. */
  readonly wholeFrom?: number;
  /** The largest of them, where there is one. */
  readonly wholeTo?: number;
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
  /** The common form of all its strings. */
  readonly form?: Form;
  /** A third party's claim about the value: shown to people, but uncertain, so code generation ignores it. */
  readonly claim?: Claim;
}

export interface Form {
  /** False for a string that the value never is. */
  readonly fits: (text: string) => boolean;
  /** A string that the value can be. */
  readonly example: string;
  /** The few strings that the value can be; other spellings are possible if `fits` accepts them. */
  readonly words?: readonly string[];
}

export interface Claim {
  readonly type: ValueType;
  /** The datasource whose description claims it. */
  readonly datasource: string;
  readonly request: Request;
  /** The place of the value in the result of the request; undefined where it is in several. */
  readonly path: Path | undefined;
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
  /** True if another server may spell the names in another letter case. */
  readonly isSpelledByServer?: true;
  readonly origin: Origin;
  /** If an object may lack the field of that name: its type if it exists. Left out if it is unknown. */
  optional?(name: string): ValueType | undefined;
  /** Undefined for an unknown name. A function, since descriptions of models may refer back to themselves. */
  typeOf(name: string): ValueType | undefined;
}
