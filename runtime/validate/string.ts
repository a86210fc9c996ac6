/** The schema of strings. */
import type { Json } from '../handler/json.js';
import type { ValidationErrors } from './validation-errors.js';
import { formats, type Format } from './formats.js';
import { printValue, type ValuePath } from './value-path.js';
import { Schema, type Pattern } from './schema.js';

export interface StringBounds {
  /** Minimum number of Unicode characters. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A pattern that must match somewhere in the string. */
  readonly pattern?: Pattern;
  readonly format?: Format;
}

class StringSchema extends Schema {
  readonly #minLength: number;
  readonly #maxLength: number;
  readonly #pattern: Pattern | undefined;
  readonly #format: Format | undefined;

  constructor(bounds: StringBounds) {
    super();
    this.#minLength = bounds.minLength ?? 0;
    this.#maxLength = bounds.maxLength ?? Number.POSITIVE_INFINITY;
    this.#pattern = bounds.pattern;
    this.#format = bounds.format;
  }

  check(value: Json, at: ValuePath, errors: ValidationErrors): void {
    if (typeof value !== 'string') {
      errors.add(at, () => `must be a string, not ${printValue(value)}`);
      return;
    }
    // A character has one or two UTF-16 units, so most strings need not be counted.
    if (value.length < 2 * this.#minLength && lengthOf(value) < this.#minLength) {
      errors.add(at, () => `must have at least ${count(this.#minLength)}, not ${lengthOf(value)}`);
    }
    if (value.length > this.#maxLength && lengthOf(value) > this.#maxLength) {
      errors.add(at, () => `must have at most ${count(this.#maxLength)}, not ${lengthOf(value)}`);
      // Skips the pattern for a string that is too long, because matching it may take long.
      return;
    }
    if (this.#pattern !== undefined) checkPattern(this.#pattern, value, at, errors);
    if (this.#format !== undefined) checkFormat(this.#format, value, at, errors);
  }

  override get kindNames(): readonly string[] {
    return ['a string'];
  }

  accepts(value: Json): boolean {
    return typeof value === 'string';
  }
}

function checkFormat(format: Format, text: string, at: ValuePath, errors: ValidationErrors): void {
  const { name, matches } = formats[format];
  if (!matches(text)) errors.add(at, () => `must be ${name}, not ${printValue(text)}`);
}

function checkPattern(pattern: Pattern, text: string, at: ValuePath, errors: ValidationErrors): void {
  const verdict = pattern.test(text);
  if (verdict === undefined)
    errors.add(at, () => `is too long to be matched against the pattern ${pattern.source}`);
  else if (!verdict)
    errors.add(at, () => `must match the pattern ${pattern.source}, and ${printValue(text)} does not`);
}

function lengthOf(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) length += 1;
  return length;
}

function count(characters: number): string {
  return `${characters} ${characters === 1 ? 'character' : 'characters'}`;
}

/** A string within bounds. */
export function string(bounds: StringBounds = {}): Schema {
  return new StringSchema(bounds);
}
