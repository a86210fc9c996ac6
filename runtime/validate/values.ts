/** The schema of `enum` and `const`. */
import type { Json } from '../handler/json.js';
import { canonical } from './canonical.js';
import type { Faults } from './faults.js';
import { shown, type Place } from './place.js';
import { Schema } from './schema.js';

/** So many of them are named in a message. */
const mostNamed = 10;

export class Values extends Schema {
  readonly #allowed: ReadonlySet<string>;
  readonly #collections: readonly Json[];

  constructor(private readonly values: readonly Json[]) {
    super();
    this.#allowed = new Set(values.filter((value) => !isCollection(value)).map(canonical));
    this.#collections = values.filter(isCollection);
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
    return isCollection(value) && this.#collections.some((one) => shown(one) === shown(value));
  }

  takes(value: Json): boolean {
    if (isCollection(value)) return this.#collections.some((one) => isSame(one, value));
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

/** Equal in kind and content. Takes as long as the allowed value is large, however large the other one is. */
function isSame(allowed: Json, value: Json): boolean {
  if (Array.isArray(allowed)) {
    if (!Array.isArray(value) || value.length !== allowed.length) return false;
    return allowed.every((element, index) => isSame(element, value[index] ?? null));
  }
  if (typeof allowed === 'object' && allowed !== null) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const names = Object.keys(allowed);
    if (names.length !== Object.keys(value).length) return false;
    return names.every(
      (name) => Object.hasOwn(value, name) && isSame(allowed[name] ?? null, value[name] ?? null),
    );
  }
  return !isCollection(value) && canonical(allowed) === canonical(value);
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
