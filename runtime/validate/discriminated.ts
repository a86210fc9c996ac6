/** The schema of alternatives with a `discriminator`: the value of one property selects the alternative. */
import { isObject, type Json, type JsonObject } from '../handler/json.js';
import type { Nested } from '../http/texts.js';
import { EnumOf } from './enum.js';
import { Schema } from './schema.js';
import type { ValidationErrors } from './validation-errors.js';
import { printValue, type ValuePath } from './value-path.js';

class Discriminated extends Schema {
  readonly #alternatives: ReadonlyMap<string, Schema>;
  readonly #values: EnumOf;

  constructor(
    private readonly property: string,
    alternatives: Readonly<Record<string, Schema>>,
  ) {
    super();
    this.#alternatives = new Map(Object.entries(alternatives));
    this.#values = new EnumOf(Object.keys(alternatives));
  }

  check(value: Json, at: ValuePath, errors: ValidationErrors): void {
    if (!isObject(value)) {
      errors.add(at, () => `must be an object, not ${printValue(value)}`);
      return;
    }
    const schema = this.#chosenBy(value);
    if (schema !== undefined) {
      schema.check(value, at, errors);
      return;
    }
    const path = at.inside().to(this.property);
    if (!Object.hasOwn(value, this.property)) errors.add(path, () => 'is missing');
    else this.#values.check(value[this.property] ?? null, path, errors);
  }

  accepts(value: Json): boolean {
    return isObject(value) && this.#chosenBy(value)?.accepts(value) === true;
  }

  override get kindNames(): readonly string[] {
    return ['an object'];
  }

  override fromNested(nested: Nested): Json {
    const named = nested instanceof Map ? nested.get(this.property) : undefined;
    const [word = ''] = Array.isArray(named) ? named : [];
    return this.#alternatives.get(word)?.fromNested(nested) ?? super.fromNested(nested);
  }

  #chosenBy(value: JsonObject): Schema | undefined {
    const word = Object.hasOwn(value, this.property) ? value[this.property] : undefined;
    return typeof word === 'string' ? this.#alternatives.get(word) : undefined;
  }
}

/** An object that matches the alternative named by the value of the property. */
export function discriminated(property: string, alternatives: Readonly<Record<string, Schema>>): Schema {
  return new Discriminated(property, alternatives);
}
