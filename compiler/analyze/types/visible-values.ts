/** The values that expressions can read at a position of an operation, and their types. */
import { unknownValue } from './known-types.js';
import type { ValueType } from './value-type.js';

/** A value that expressions can read by name or as `@`. */
export interface Readable {
  /** Identifies the value among all values of the operation, including others with the same name. */
  readonly key: string;
  readonly type: ValueType;
}

/** The types of request values, as far as known at build time. */
export interface RequestTypes {
  /** The type of the named parameter, including null if it is optional. */
  param(name: string): ValueType;
  /** The type of the JSON body. */
  readonly body: ValueType;
}

/** A request about which nothing is known. */
export const anyRequest: RequestTypes = { param: () => unknownValue, body: unknownValue };

type ResultOfFunction = (name: string) => ValueType;

const missing: Readable = { key: 'missing', type: unknownValue };

export class Environment {
  private constructor(
    private readonly results: ReadonlyMap<string, Readable>,
    /** The current element; unknown if there is none. */
    readonly element: Readable,
    readonly request: RequestTypes,
    /** The type of the results of a user function; unknown if the function does not exist, which has its own diagnostic. */
    readonly functionResult: ResultOfFunction,
  ) {}

  /** The environment before the first fulfillment. */
  static of(request: RequestTypes, functionResult: ResultOfFunction = () => unknownValue): Environment {
    return new Environment(new Map(), missing, request, functionResult);
  }

  /** The value of that name; unknown if it does not exist, which has its own diagnostic. */
  result(name: string): Readable {
    return this.results.get(name) ?? missing;
  }

  /** A copy with another value under that name. */
  with(name: string, value: Readable): Environment {
    const results = new Map([...this.results, [name, value]]);
    return new Environment(results, this.element, this.request, this.functionResult);
  }

  withElement(element: Readable): Environment {
    return new Environment(this.results, element, this.request, this.functionResult);
  }
}
