/** The schema of arrays. */
import type { Json } from '../handler/json.js';
import { mapKey } from '../compare/map-key.js';
import { elementsOf, type Nested } from '../http/texts.js';
import { canonical } from './canonical.js';
import type { ValidationErrors, Part } from './validation-errors.js';
import { printValue, type ValuePath } from './value-path.js';
import { Schema } from './schema.js';

export interface ArrayBounds {
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  /** Schemas of the first elements. The remaining elements use the schema `items`. */
  readonly prefixItems?: readonly Schema[];
}

class ArraySchema extends Schema {
  readonly #minItems: number;
  readonly #maxItems: number;
  readonly #uniqueItems: boolean;
  readonly #prefixItems: readonly Schema[];

  constructor(
    private readonly items: Schema,
    bounds: ArrayBounds,
  ) {
    super();
    this.#minItems = bounds.minItems ?? 0;
    this.#maxItems = bounds.maxItems ?? Number.POSITIVE_INFINITY;
    this.#uniqueItems = bounds.uniqueItems ?? false;
    this.#prefixItems = bounds.prefixItems ?? [];
  }

  check(value: Json, at: ValuePath, errors: ValidationErrors): void {
    if (!Array.isArray(value)) {
      errors.add(at, () => `must be an array, not ${printValue(value)}`);
      return;
    }
    if (value.length < this.#minItems)
      errors.add(at, () => `must have at least ${count(this.#minItems)}, not ${value.length}`);
    if (value.length > this.#maxItems)
      errors.add(at, () => `must have at most ${count(this.#maxItems)}, not ${value.length}`);
    const seen: Seen | undefined = this.#uniqueItems ? new Map() : undefined;
    const checkPart: Part = (start, end, list) => {
      const path = list.inside();
      for (let index = start; index < end; index += 1) {
        if (errors.isDecided) return;
        this.#itemAt(index).check(value[index] ?? null, path.to(index), errors);
      }
      if (seen !== undefined) checkUnique(value, list, errors, seen, start, end);
    };
    errors.inParts(value.length, at, checkPart);
  }

  override get kindNames(): readonly string[] {
    return ['an array'];
  }

  accepts(value: Json): boolean {
    return Array.isArray(value);
  }

  /** Converts a list; a parameter that is sent once is a list with one element. */
  override fromTexts(texts: readonly string[]): Json {
    return texts.map((text, index) => this.#itemAt(index).fromTexts([text]));
  }

  override fromNested(nested: Nested): Json {
    const elements = nested instanceof Map ? elementsOf(nested) : undefined;
    if (elements === undefined) return super.fromNested(nested);
    return elements.map((element, index) => this.#itemAt(index).fromNested(element));
  }

  #itemAt(index: number): Schema {
    return index < this.#prefixItems.length ? (this.#prefixItems[index] ?? this.items) : this.items;
  }
}

/** The position of the first occurrence of each element, by the JSON of the element. */
type Seen = Map<string | number, number>;

/** Checks for duplicates in one pass, by looking up the JSON of each element among earlier elements. */
function checkUnique(
  elements: readonly Json[],
  at: ValuePath,
  errors: ValidationErrors,
  seen: Seen,
  start: number,
  end: number,
): void {
  for (let index = start; index < end; index += 1) {
    const element = elements[index] ?? null;
    // The JSON of a string begins with a quote, so keys of numbers and strings differ.
    const key = mapKey(typeof element === 'number' ? element : canonical(element));
    if (errors.isDecided) return;
    const before = seen.get(key);
    if (before === undefined) seen.set(key, index);
    else errors.add(at.inside().to(index), () => `is the same as the element ${before}, and all must differ`);
  }
}

function count(elements: number): string {
  return `${elements} ${elements === 1 ? 'element' : 'elements'}`;
}

/** An array whose elements match a schema. */
export function array(items: Schema, bounds: ArrayBounds = {}): Schema {
  return new ArraySchema(items, bounds);
}
