/** One of some values. */
import type { Json } from '../json.js';
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
    this.#hasCollections = values.some((value) => typeof value === 'object' && value !== null);
  }

  check(value: Json, at: Place, faults: Faults): void {
    if (this.takes(value)) return;
    faults.add(at, () => {
      const named = this.values.slice(0, mostNamed).map(shown).join(', ');
      const list = this.values.length > mostNamed ? `${named}, …` : named;
      return `must be ${this.values.length === 1 ? '' : 'one of '}${list}, not ${shown(value)}`;
    });
  }

  override takes(value: Json): boolean {
    if (typeof value === 'object' && value !== null && !this.#hasCollections) return false;
    return this.#allowed.has(canonical(value));
  }

  /** `2` stands for the number where that is allowed, and the text is not. */
  protected override fromText(text: string): Json {
    if (this.takes(text)) return text;
    return this.values.find((value) => typeof value !== 'object' && String(value) === text) ?? text;
  }
}

/** Exactly one of these. */
export function values(...allowed: readonly Json[]): Schema {
  return new Values(allowed);
}
