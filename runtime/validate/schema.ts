/** The base class of all schemas. */
import type { Json } from '../handler/json.js';
import type { Faults } from './faults.js';
import type { Place } from './place.js';

/** What a value must be. */
export abstract class Schema {
  /** Adds a fault for everything in the value that does not fit. */
  abstract check(value: Json, at: Place, faults: Faults): void;

  /** Whether the value is of the right kind at all; of several schemas that could be meant it tells the one that is. */
  abstract takes(value: Json): boolean;

  /** The kinds of values that fit, in words such as `a string`; empty where they cannot be named. */
  get kindNames(): readonly string[] {
    return [];
  }

  /** The value that the texts of a parameter stand for, more than one where it is repeated; the texts where they stand for none. */
  fromTexts(texts: readonly string[]): Json {
    const [first = ''] = texts;
    return texts.length > 1 ? [...texts] : this.fromText(first);
  }

  protected fromText(text: string): Json {
    return text;
  }
}

/** A property or parameter that must be there. */
export class Required {
  constructor(readonly schema: Schema) {}
}

/** A schema, and whether the property must be there. */
export type Property = Schema | Required;

export function required(schema: Schema): Required {
  return new Required(schema);
}

/** Any value. */
class Anything extends Schema {
  check(): void {
    // Everything fits.
  }

  takes(): boolean {
    return true;
  }
}

const any = new Anything();

/** Every value fits. */
export function anything(): Schema {
  return any;
}
