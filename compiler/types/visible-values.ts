/** What names mean at a place of an operation: the values that expressions can read there, and their types. */
import { unknownValue, type ValueType } from './value-type.js';

/** A value that expressions can read by name or as `@`. */
export interface Readable {
  /** Tells it from all others of the operation, also from those of the same name elsewhere. */
  readonly key: string;
  readonly type: ValueType;
}

const missing: Readable = { key: 'missing', type: unknownValue };

export class Environment {
  private constructor(
    private readonly results: ReadonlyMap<string, Readable>,
    /** The current element; unknown where there is none. */
    readonly element: Readable,
  ) {}

  static readonly empty = new Environment(new Map(), missing);

  /** Unknown where nothing of that name can be read, which is a mistake of its own. */
  result(name: string): Readable {
    return this.results.get(name) ?? missing;
  }

  /** With another value under that name. */
  with(name: string, value: Readable): Environment {
    return new Environment(new Map([...this.results, [name, value]]), this.element);
  }

  withElement(element: Readable): Environment {
    return new Environment(this.results, element);
  }
}
