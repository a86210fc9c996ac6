/** Schemas composed of other schemas: `allOf`, `anyOf`, `oneOf`, `not` and nullable values. */
import { isObject, type Json } from '../handler/json.js';
import { elementsOf, type Nested } from '../http/texts.js';
import { ValidationErrors } from './validation-errors.js';
import { ValuePath, printValue } from './value-path.js';
import { Schema } from './schema.js';

const nowhere = new ValuePath('');

class AllOf extends Schema {
  constructor(private readonly parts: readonly Schema[]) {
    super();
  }

  check(value: Json, at: ValuePath, errors: ValidationErrors): void {
    for (const part of this.parts) {
      if (errors.isDecided) return;
      part.check(value, at, errors);
    }
  }

  accepts(value: Json): boolean {
    return this.parts.every((part) => part.accepts(value));
  }

  /** Converts strings with the first part that determines their type. */
  override fromTexts(texts: readonly string[]): Json {
    return converted(this.parts.map((part) => part.fromTexts(texts))) ?? super.fromTexts(texts);
  }

  override fromNested(nested: Nested): Json {
    return merged(this.parts.map((part) => part.fromNested(nested))) ?? super.fromNested(nested);
  }
}

/** Merges conversions by several schemas, each of which may convert different parts of the value. */
function merged(values: readonly Json[]): Json | undefined {
  const objects = values.filter(isObject);
  const [first] = objects;
  if (first === undefined || objects.length < values.length) return converted(values);
  return Object.fromEntries(
    Object.entries(first).map(([name, value]) => [
      name,
      merged(objects.map((object) => object[name] ?? null)) ?? value,
    ]),
  );
}

/** The first value that is neither a string nor a list of strings, otherwise the first list. */
function converted(values: readonly Json[]): Json | undefined {
  const isText = (value: Json): boolean => typeof value === 'string';
  return (
    values.find((value) => !isText(value) && !(Array.isArray(value) && value.every(isText))) ??
    values.find((value) => Array.isArray(value))
  );
}

/** `anyOf`, or `oneOf`, where exactly one alternative must match. */
class Alternatives extends Schema {
  constructor(
    private readonly alternatives: readonly Schema[],
    private readonly exactlyOne: boolean,
  ) {
    super();
  }

  check(value: Json, at: ValuePath, errors: ValidationErrors): void {
    let fitting = 0;
    for (const alternative of this.alternatives) {
      if (errors.matches(alternative, value, at)) fitting += 1;
      if (fitting === (this.exactlyOne ? 2 : 1)) break;
    }
    if (fitting === 1) return;
    if (fitting > 1) {
      errors.add(at, () => 'matches more than one of its alternatives, and must match exactly one');
      return;
    }
    // If only one alternative has the right type, its errors are reported.
    const [meant, ...others] = this.alternatives.filter((alternative) => alternative.accepts(value));
    if (meant !== undefined && others.length === 0 && !errors.isDecided) meant.check(value, at, errors);
    else errors.add(at, () => this.#problem(value, meant !== undefined));
  }

  /** `isOfSomeKind`: whether the value has the type of several alternatives but violates their bounds. */
  #problem(value: Json, isOfSomeKind: boolean): string {
    const kinds = this.kindNames;
    if (isOfSomeKind || kinds.length === 0 || kinds.includes(printValue(value)))
      return `matches none of its ${this.alternatives.length} alternatives`;
    const [last = '', ...before] = [...kinds].reverse();
    const named = before.length === 0 ? last : `${before.reverse().join(', ')} or ${last}`;
    return `must be ${named}, not ${printValue(value)}`;
  }

  override get kindNames(): readonly string[] {
    const kinds = this.alternatives.map((alternative) => alternative.kindNames);
    return kinds.some((names) => names.length === 0) ? [] : [...new Set(kinds.flat())];
  }

  accepts(value: Json): boolean {
    return this.alternatives.some((alternative) => alternative.accepts(value));
  }

  override fromTexts(texts: readonly string[]): Json {
    return this.#converted((alternative) => alternative.fromTexts(texts)) ?? super.fromTexts(texts);
  }

  override fromNested(nested: Nested): Json {
    return this.#converted((alternative) => alternative.fromNested(nested)) ?? super.fromNested(nested);
  }

  /** The converted value of the first matching alternative. */
  #converted(convert: (alternative: Schema) => Json): Json | undefined {
    const errors = new ValidationErrors(true);
    for (const alternative of this.alternatives) {
      const value = convert(alternative);
      if (errors.matches(alternative, value, nowhere)) return value;
    }
    return undefined;
  }
}

class Not extends Schema {
  constructor(private readonly excluded: Schema) {
    super();
  }

  check(value: Json, at: ValuePath, errors: ValidationErrors): void {
    if (errors.matches(this.excluded, value, at))
      errors.add(at, () => `is not allowed to be ${printValue(value)}`);
  }

  accepts(): boolean {
    return true;
  }
}

class Nullable extends Schema {
  constructor(private readonly schema: Schema) {
    super();
  }

  check(value: Json, at: ValuePath, errors: ValidationErrors): void {
    if (value !== null) this.schema.check(value, at, errors);
  }

  accepts(value: Json): boolean {
    return value === null || this.schema.accepts(value);
  }

  override get kindNames(): readonly string[] {
    return this.schema.kindNames.length === 0 ? [] : [...this.schema.kindNames, 'null'];
  }

  override fromTexts(texts: readonly string[]): Json {
    return this.schema.fromTexts(texts);
  }

  override fromNested(nested: Nested): Json {
    return this.schema.fromNested(nested);
  }
}

/** A schema declared later in the file, because models may contain themselves. */
class Lazy extends Schema {
  readonly #converted = new WeakMap<Nested, Json>();

  constructor(private readonly schema: () => Schema) {
    super();
  }

  check(value: Json, at: ValuePath, errors: ValidationErrors): void {
    errors.checkOnce(this.schema(), value, at);
  }

  accepts(value: Json): boolean {
    return this.schema().accepts(value);
  }

  override fromTexts(texts: readonly string[]): Json {
    return this.schema().fromTexts(texts);
  }

  /** Converts each part only once: otherwise, with alternatives, the time would double with every level of brackets. */
  override fromNested(nested: Nested): Json {
    const known = this.#converted.get(nested);
    if (known !== undefined) return known;
    const value = this.schema().fromNested(nested);
    this.#converted.set(nested, value);
    return value;
  }
}

/** Schemas by the type of the value. Values of other types are valid. */
export interface Kinds {
  readonly string?: Schema;
  readonly number?: Schema;
  readonly array?: Schema;
  readonly object?: Schema;
}

class ByKind extends Schema {
  constructor(private readonly kinds: Kinds) {
    super();
  }

  check(value: Json, at: ValuePath, errors: ValidationErrors): void {
    const { string, number, array, object } = this.kinds;
    if (number?.accepts(value) === true) number.check(value, at, errors);
    else if (typeof value === 'string') string?.check(value, at, errors);
    else if (Array.isArray(value)) array?.check(value, at, errors);
    else if (typeof value === 'object' && value !== null) object?.check(value, at, errors);
  }

  accepts(): boolean {
    return true;
  }

  override fromTexts(texts: readonly string[]): Json {
    const { string, array } = this.kinds;
    return array === undefined || string !== undefined ? super.fromTexts(texts) : array.fromTexts(texts);
  }

  override fromNested(nested: Nested): Json {
    const { array, object } = this.kinds;
    const isList = array !== undefined && nested instanceof Map && elementsOf(nested) !== undefined;
    return (isList ? array : object)?.fromNested(nested) ?? super.fromNested(nested);
  }
}

/** A value that matches all schemas. */
export function allOf(...parts: readonly Schema[]): Schema {
  return new AllOf(parts);
}

/** A value that matches at least one schema. */
export function anyOf(...alternatives: readonly Schema[]): Schema {
  return new Alternatives(alternatives, false);
}

/** A value that matches exactly one schema. */
export function oneOf(...alternatives: readonly Schema[]): Schema {
  return new Alternatives(alternatives, true);
}

/** A value that does not match the schema. */
export function not(excluded: Schema): Schema {
  return new Not(excluded);
}

/** Null, or a value that matches the schema. */
export function nullable(schema: Schema): Schema {
  return new Nullable(schema);
}

/** A schema that is declared later in the file. */
export function lazy(schema: () => Schema): Schema {
  return new Lazy(schema);
}

/** Schemas with keywords that only apply to values of one type. */
export function byKind(kinds: Kinds): Schema {
  return new ByKind(kinds);
}
