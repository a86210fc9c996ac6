/** The schema of `enum` and `const`. */
import type { Json } from '../handler/json.js';
import { canonical } from './canonical.js';
import type { ValidationErrors } from './validation-errors.js';
import { printValue, type ValuePath } from './value-path.js';
import { Schema } from './schema.js';

/** Maximum number of values listed in a message. */
const maxNamed = 10;

export class EnumOf extends Schema {
  readonly #strings: ReadonlySet<Json>;
  /** The JSON of all values except arrays and objects. */
  readonly #allowed: ReadonlySet<string>;
  readonly #collections: readonly Json[];

  constructor(private readonly values: readonly Json[]) {
    super();
    this.#strings = new Set(values.filter((value) => typeof value === 'string'));
    this.#allowed = new Set(values.filter((value) => !isCollection(value)).map(canonical));
    this.#collections = values.filter(isCollection);
  }

  check(value: Json, at: ValuePath, errors: ValidationErrors): void {
    if (this.accepts(value)) return;
    errors.add(at, () => {
      if (this.values.length === 0) return 'is not allowed';
      const named = this.values.slice(0, maxNamed).map(written).join(', ');
      const list = this.values.length > maxNamed ? `${named}, …` : named;
      return `must be ${this.values.length === 1 ? '' : 'one of '}${list}, not ${this.#isLikeOne(value) ? printValue(value).replace('an ', 'another ') : printValue(value)}`;
    });
  }

  /** Whether a message would only show the type of the value, and a value of that type is allowed. */
  #isLikeOne(value: Json): boolean {
    return isCollection(value) && this.#collections.some((one) => printValue(one) === printValue(value));
  }

  accepts(value: Json): boolean {
    if (typeof value === 'string') return this.#strings.has(value);
    if (isCollection(value)) return this.#collections.some((one) => isSame(one, value));
    return this.#allowed.has(canonical(value));
  }

  /** Converts `2` to a number if the number is allowed and the string is not. */
  protected override fromText(text: string): Json {
    if (this.accepts(text)) return text;
    return this.values.find((value) => typeof value !== 'object' && String(value) === text) ?? text;
  }
}

function isCollection(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

/** Whether type and content are equal. The time only depends on the size of the allowed value. */
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

/** Maximum characters of an array or object in a message. */
const longest = 80;

/** An allowed value for a message. Arrays and objects are shown, because they are from the API description. */
function written(value: Json): string {
  if (!isCollection(value)) return printValue(value);
  const text = JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** One of these values. */
export function enumOf(...allowed: readonly Json[]): Schema {
  return new EnumOf(allowed);
}
