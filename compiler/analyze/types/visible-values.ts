/** The scope at a position of an operation: the values that expressions can read there, and their types. */
import { unknownValue } from './known-types.js';
import type { ValueType } from './value-type.js';

/** A value that expressions can read by name or as `@`. */
export interface Readable {
  /** Distinguishes it from all other values of the operation, including values of the same name elsewhere. */
  readonly key: string;
  readonly type: ValueType;
}

/** The request, as far as it is known before there is one. */
export interface RequestTypes {
  /** The parameter of that name; null among its kinds where it may be absent. */
  param(name: string): ValueType;
  /** The JSON body. */
  readonly body: ValueType;
}

/** A request of which nothing is known. */
export const anyRequest: RequestTypes = { param: () => unknownValue, body: unknownValue };

const missing: Readable = { key: 'missing', type: unknownValue };

export class Environment {
  private constructor(
    private readonly results: ReadonlyMap<string, Readable>,
    /** The current element; unknown if there is none. */
    readonly element: Readable,
    readonly request: RequestTypes,
  ) {}

  /** Before the first fulfillment. */
  static of(request: RequestTypes): Environment {
    return new Environment(new Map(), missing, request);
  }

  /** Unknown if nothing of that name can be read, which has its own diagnostic. */
  result(name: string): Readable {
    return this.results.get(name) ?? missing;
  }

  /** With another value under that name. */
  with(name: string, value: Readable): Environment {
    return new Environment(new Map([...this.results, [name, value]]), this.element, this.request);
  }

  withElement(element: Readable): Environment {
    return new Environment(this.results, element, this.request);
  }
}
