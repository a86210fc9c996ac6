/** The base class of schemas, and their combinations with properties and patterns. */
import type { Json } from '../handler/json.js';
import { jsonOf, type Nested } from '../http/texts.js';
import type { ValidationErrors } from './validation-errors.js';
import type { ValuePath } from './value-path.js';

/** A schema. */
export abstract class Schema {
  /** Adds an error for every part of the value that does not match. */
  abstract check(value: Json, at: ValuePath, errors: ValidationErrors): void;

  /** Whether the value has the right type, to select among alternatives. */
  abstract accepts(value: Json): boolean;

  /** Names for the types of valid values, such as `a string`; empty if unnamed. */
  get kindNames(): readonly string[] {
    return [];
  }

  /** Converts the strings of a parameter; there are several if it is repeated. Strings that are not values of the type are not changed. */
  fromTexts(texts: readonly string[]): Json {
    const [first = ''] = texts;
    return texts.length > 1 ? [...texts] : this.fromText(first);
  }

  /** Converts the strings of a parameter in bracket notation. */
  fromNested(nested: Nested): Json {
    return nested instanceof Map ? jsonOf(nested) : this.fromTexts(nested);
  }

  protected fromText(text: string): Json {
    return text;
  }
}

/** A compiled pattern. The pattern compiler is only loaded by services whose API description contains patterns. */
export interface Pattern {
  /** The pattern as written. */
  readonly source: string;
  /** Whether the pattern matches anywhere in the string; undefined if that takes too long. */
  test(text: string): boolean | undefined;
  /** The reason why the pattern cannot be matched in linear time, so that only short strings are matched; otherwise undefined. */
  readonly slow?: string;
}

/** Property schemas by a pattern for property names. */
export type PatternProperties = readonly { readonly pattern: Pattern; readonly schema: Schema }[];

/** A required property or parameter. */
export class Required {
  constructor(readonly schema: Schema) {}
}

/** A property schema that may be required. */
export type Property = Schema | Required;

export function required(schema: Schema): Required {
  return new Required(schema);
}

/** Any value. */
class Any extends Schema {
  check(): void {
    // All values are valid.
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
