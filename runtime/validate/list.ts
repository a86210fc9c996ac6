/** The schema of arrays. */
import type { Json } from '../handler/json.js';
import { mapKey } from '../compare/map-key.js';
import { canonical } from './canonical.js';
import type { Faults, Part } from './faults.js';
import { shown, type Place } from './place.js';
import { Schema } from './schema.js';

export interface ListBounds {
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  /** Schemas of the first elements (`prefixItems`). All others have the schema of the elements. */
  readonly first?: readonly Schema[];
}

class List extends Schema {
  constructor(
    private readonly items: Schema,
    private readonly bounds: ListBounds,
  ) {
    super();
  }

  check(value: Json, at: Place, faults: Faults): void {
    if (!Array.isArray(value)) {
      faults.add(at, () => `must be an array, not ${shown(value)}`);
      return;
    }
    const {
      minItems = 0,
      maxItems = Number.POSITIVE_INFINITY,
      uniqueItems = false,
      first = [],
    } = this.bounds;
    if (value.length < minItems)
      faults.add(at, () => `must have at least ${count(minItems)}, not ${value.length}`);
    if (value.length > maxItems)
      faults.add(at, () => `must have at most ${count(maxItems)}, not ${value.length}`);
    const seen: Seen = new Map();
    const checkPart: Part = (start, end) => {
      for (let index = start; index < end; index += 1) {
        if (faults.isDecided) return;
        (first[index] ?? this.items).check(value[index] ?? null, at.element(index), faults);
      }
      if (uniqueItems) checkUnique(value, at, faults, seen, start, end);
    };
    faults.inParts(value.length, checkPart);
  }

  override get kindNames(): readonly string[] {
    return ['an array'];
  }

  takes(value: Json): boolean {
    return Array.isArray(value);
  }

  /** A parameter that is sent once is a list of one. */
  override fromTexts(texts: readonly string[]): Json {
    return texts.map((text, index) => (this.bounds.first?.[index] ?? this.items).fromTexts([text]));
  }
}

/** The position of the first element, by the JSON of the element. */
type Seen = Map<string | number, number>;

/** One pass: the JSON of each element is looked up among the earlier ones. */
function checkUnique(
  elements: readonly Json[],
  at: Place,
  faults: Faults,
  seen: Seen,
  start: number,
  end: number,
): void {
  for (let index = start; index < end; index += 1) {
    const element = elements[index] ?? null;
    // The JSON of a string begins with a quote, so that different elements have different keys.
    const key = mapKey(typeof element === 'number' ? element : canonical(element));
    if (faults.isDecided) return;
    const before = seen.get(key);
    if (before === undefined) seen.set(key, index);
    else faults.add(at.element(index), () => `is the same as the element ${before}, and all must differ`);
  }
}

function count(elements: number): string {
  return `${elements} ${elements === 1 ? 'element' : 'elements'}`;
}

/** An array whose elements match a schema. */
export function list(items: Schema, bounds: ListBounds = {}): Schema {
  return new List(items, bounds);
}
