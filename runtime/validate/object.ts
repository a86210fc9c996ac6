/** The schema of objects. */
import type { Json, JsonObject } from '../handler/json.js';
import type { Nested } from '../http/texts.js';
import type { ValidationErrors } from './validation-errors.js';
import { printValue, type ValuePath } from './value-path.js';
import { any, Required, Schema, type PatternProperties, type Property } from './schema.js';
import { EnumOf } from './enum.js';

export interface ObjectBounds {
  /** The schema for all other properties; false forbids them. */
  readonly additionalProperties?: Schema | false;
  readonly patternProperties?: PatternProperties;
  /** Names of required properties without a schema. */
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** Exported for parameters, whose fields are converted individually. */
export class Obj extends Schema {
  readonly #properties: ReadonlyMap<string, Schema>;
  /** The properties as a list, which is faster to iterate over. */
  readonly #entries: readonly (readonly [name: string, schema: Schema])[];
  readonly #required: readonly string[];
  readonly #patterns: PatternProperties;
  readonly #additionalProperties: Schema | false | undefined;
  /** Whether other properties can have any value. */
  readonly #isOpen: boolean;
  /** The number of properties; undefined if any number is allowed. */
  readonly #size: { readonly min: number; readonly max: number } | undefined;

  constructor(properties: Readonly<Record<string, Property>>, bounds: ObjectBounds) {
    super();
    const entries = Object.entries(properties);
    this.#properties = new Map(
      entries.map(([name, property]) => [name, property instanceof Required ? property.schema : property]),
    );
    this.#entries = [...this.#properties];
    this.#required = [
      ...entries.flatMap(([name, property]) => (property instanceof Required ? [name] : [])),
      ...(bounds.required ?? []),
    ];
    this.#patterns = bounds.patternProperties ?? [];
    this.#additionalProperties = bounds.additionalProperties;
    this.#isOpen = bounds.additionalProperties === undefined && this.#patterns.length === 0;
    const { minProperties: min, maxProperties: max } = bounds;
    this.#size =
      min === undefined && max === undefined
        ? undefined
        : { min: min ?? 0, max: max ?? Number.POSITIVE_INFINITY };
  }

  check(value: Json, at: ValuePath, errors: ValidationErrors): void {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      errors.add(at, () => `must be an object, not ${printValue(value)}`);
      return;
    }
    const path = at.inside();
    for (const name of this.#required) {
      if (errors.isDecided) return;
      if (valueOf(value, name) === undefined) errors.add(path.to(name), () => 'is missing');
    }
    if (this.#isOpen) {
      for (const [name, schema] of this.#entries) {
        if (errors.isDecided) return;
        const own = valueOf(value, name);
        if (own !== undefined) schema.check(own, path.to(name), errors);
      }
    } else {
      this.#checkProperties(value, at, errors);
    }
    if (this.#size === undefined) return;
    const { min, max } = this.#size;
    const { length } = Object.keys(value);
    if (length < min) errors.add(at, () => `must have at least ${count(min)}, not ${length}`);
    if (length > max) errors.add(at, () => `must have at most ${count(max)}, not ${length}`);
  }

  #checkProperties(value: JsonObject, at: ValuePath, errors: ValidationErrors): void {
    const names = Object.keys(value);
    errors.inParts(names.length, at, (start, end, whole) => {
      const own = whole.inside();
      for (const name of start === 0 && end === names.length ? names : names.slice(start, end)) {
        if (errors.isDecided) return;
        this.#checkProperty(name, value[name] ?? null, own.to(name), errors);
      }
    });
  }

  #checkProperty(name: string, value: Json, path: ValuePath, errors: ValidationErrors): void {
    const own = this.#properties.get(name);
    own?.check(value, path, errors);
    // A name too long to be matched against a pattern counts as not matching.
    const matching = this.#patterns.filter(({ pattern }) => pattern.test(name) === true);
    for (const { schema } of matching) schema.check(value, path, errors);
    if (own !== undefined || matching.length > 0) return;
    if (this.#additionalProperties === false) errors.add(path, () => 'is not allowed');
    else this.#additionalProperties?.check(value, path, errors);
  }

  override get kindNames(): readonly string[] {
    return ['an object'];
  }

  /**
   * Whether the value can be this object. Among alternatives that differ in the value of a property, such as `kind`, only one is
   * possible.
   */
  accepts(value: Json): boolean {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
    for (const [name, schema] of this.#properties) {
      if (schema instanceof EnumOf && Object.hasOwn(value, name) && !schema.accepts(value[name] ?? null))
        return false;
    }
    return true;
  }

  override fromNested(nested: Nested): Json {
    if (!(nested instanceof Map) || nested.has('')) return super.fromNested(nested);
    const others = this.#additionalProperties === false ? undefined : this.#additionalProperties;
    return Object.fromEntries(
      [...nested].map(([name, part]) => [
        name,
        (this.#properties.get(name) ?? others ?? any()).fromNested(part),
      ]),
    );
  }
}

/** The value of an own property. Inherited members such as `constructor` are functions, with one exception. */
function valueOf(object: Readonly<Record<string, Json>>, name: string): Json | undefined {
  const value = object[name];
  if (typeof value === 'function') return undefined;
  return name !== '__proto__' || Object.hasOwn(object, name) ? value : undefined;
}

function count(properties: number): string {
  return `${properties} ${properties === 1 ? 'property' : 'properties'}`;
}

/** An object whose properties match their schemas. */
export function object(properties: Readonly<Record<string, Property>>, bounds: ObjectBounds = {}): Schema {
  return new Obj(properties, bounds);
}
