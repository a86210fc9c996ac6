/** One of some values. */
import type { Json } from '../handler/json.js';
import { canonical } from './canonical.js';
import type { Faults } from './faults.js';
import { shown, type Place } from './place.js';
import { Schema } from './schema.js';

/** So many of them are named in a message. */
const mostNamed = 10;

export class Values extends Schema {
  readonly #allowed: ReadonlySet<string>;
  readonly #hasCollections: boolean;

  constructor(private readonly values: readonly Json[]) {
    super();
    this.#allowed = new Set(values.map(canonical));
    this.#hasCollections = values.some(isCollection);
  }

  check(value: Json, at: Place, faults: Faults): void {
    if (this.takes(value)) return;
    faults.add(at, () => {
      if (this.values.length === 0) return 'is not allowed';
      const named = this.values.slice(0, mostNamed).map(written).join(', ');
      const list = this.values.length > mostNamed ? `${named}, …` : named;
      return `must be ${this.values.length === 1 ? '' : 'one of '}${list}, not ${this.#isLikeOne(value) ? shown(value).replace('an ', 'another ') : shown(value)}`;
    });
  }

  /** Whether only its kind is shown of the value, and one of that kind is allowed. */
  #isLikeOne(value: Json): boolean {
    return isCollection(value) && this.values.some((one) => isCollection(one) && shown(one) === shown(value));
  }

  takes(value: Json): boolean {
    if (isCollection(value) && !this.#hasCollections) return false;
    return this.#allowed.has(canonical(value));
  }

  /** `2` stands for the number where that is allowed, and the text is not. */
  protected override fromText(text: string): Json {
    if (this.takes(text)) return text;
    return this.values.find((value) => typeof value !== 'object' && String(value) === text) ?? text;
  }
}

function isCollection(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

/** Characters of an array or object that are named. */
const longest = 80;

/** An allowed value in a message: it comes from the API description, so arrays and objects are told as they are. */
function written(value: Json): string {
  if (!isCollection(value)) return shown(value);
  const text = JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** Exactly one of these. */
export function values(...allowed: readonly Json[]): Schema {
  return new Values(allowed);
}
