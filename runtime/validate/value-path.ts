/** The position of a value in a request (`body.items[3].title`), and how messages show values. */
import type { Json } from '../handler/json.js';

/** A position such as `body.items[3].title` or `query parameter 'limit'`. Its string is created only for an error. */
export class ValuePath {
  constructor(
    private readonly step: string | number,
    private readonly outer?: ValuePath,
  ) {}

  property(name: string): ValuePath {
    return new ValuePath(name, this);
  }

  element(index: number): ValuePath {
    return new ValuePath(index, this);
  }

  toString(): string {
    const { outer, step } = this;
    if (outer === undefined) return String(step);
    if (typeof step === 'number') return `${outer.toString()}[${step}]`;
    const isName = step.length <= longest && /^[A-Za-z_$][\w$-]*$/.test(step);
    return `${outer.toString()}${isName ? `.${step}` : `[${printValue(step)}]`}`;
  }
}

/** Maximum characters of a value in messages. */
const longest = 40;

/** A value in a message: strings in quotes and shortened, arrays and objects only by their type. */
export function printValue(value: Json): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (typeof value === 'string') {
    // Do not cut a surrogate pair.
    const cut = value.slice(0, longest).replace(/[\ud800-\udbff]$/, '');
    return JSON.stringify(value.length > longest ? `${cut}…` : value);
  }
  return Array.isArray(value) ? 'an array' : 'an object';
}
