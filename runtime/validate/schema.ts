/** The base class of all schemas, and how they are combined with properties and patterns. */
import type { Json } from '../handler/json.js';
import { jsonOf, type Nested } from '../http/texts.js';
import type { ValidationErrors } from './validation-errors.js';
import type { ValuePath } from './value-path.js';

/** A schema. */
export abstract class Schema {
  /** Adds an error for everything in the value that does not match. */
  abstract check(value: Json, at: ValuePath, errors: ValidationErrors): void;

  /** Whether the value has the right type, to select one of several alternatives. */
  abstract accepts(value: Json): boolean;

  /** The types of valid values, such as `a string`; empty if they have no names. */
  get kindNames(): readonly string[] {
    return [];
  }

  /** Converts the strings of a parameter, several if it is repeated. Strings that are not values of the type are unchanged. */
  fromTexts(texts: readonly string[]): Json {
    const [first = ''] = texts;
    return texts.length > 1 ? [...texts] : this.fromText(first);
  }

  /** Converts the strings of a parameter that is written with brackets. */
  fromNested(nested: Nested): Json {
    return nested instanceof Map ? jsonOf(nested) : this.fromTexts(nested);
  }

  protected fromText(text: string): Json {
    return text;
  }
}

/** A compiled pattern. Only services whose description contains patterns load the code that compiles them. */
export interface Pattern {
  /** As written. */
  readonly source: string;
  /** Whether it matches somewhere in the string; undefined if that takes too long. */
  test(text: string): boolean | undefined;
  /** Why it cannot be matched in linear time (then only short strings are matched); undefined if it can. */
  readonly slow?: string;
}

/** Schemas of properties by a pattern of their names. */
export type PatternProperties = readonly { readonly pattern: Pattern; readonly schema: Schema }[];

/** A required property or parameter. */
export class Required {
  constructor(readonly schema: Schema) {}
}

/** A schema of a property that may be required. */
export type Property = Schema | Required;

export function required(schema: Schema): Required {
  return new Required(schema);
}

/** Any value. */
class Any extends Schema {
  check(): void {
    // Every value is valid.
  }

  accepts(): boolean {
    return true;
  }
}

const anyValue = new Any();

/** A schema that every value matches. */
export function any(): Schema {
  return anyValue;
}
