/** The position of a value in a request (`body.items[3].title`), and how messages show values. */
import type { Json } from '../handler/json.js';
import type { Fault } from '../handler/reply.js';

/**
 * A position such as `body.items[3].title` or `query parameter 'limit'`. Its string is only created for errors. The position inside a
 * list or object is moved from one element to the next; use `copy` to keep a position.
 */
export class ValuePath {
  constructor(
    private step: string | number,
    private readonly outer?: ValuePath,
  ) {}

  /** A position inside this value, which is moved over all elements or properties. */
  inside(): ValuePath {
    return new ValuePath('', this);
  }

  /** Moves to another element or property of the same list or object. */
  to(step: string | number): this {
    this.step = step;
    return this;
  }

  /** A copy of this position, which is not moved. */
  copy(): ValuePath {
    return new ValuePath(this.step, this.outer?.copy());
  }

  /** The steps, outermost first. */
  steps(): (string | number)[] {
    return [...(this.outer?.steps() ?? []), this.step];
  }

  toString(): string {
    const { outer, step } = this;
    if (outer === undefined) return String(step);
    if (typeof step === 'number') return `${outer.toString()}[${step}]`;
    const isName = step.length <= longest && /^[A-Za-z_$][\w$-]*$/.test(step);
    return `${outer.toString()}${isName ? `.${step}` : `[${printValue(step)}]`}`;
  }
}

/** A machine-readable validation error for the value at the position. */
export function faultAt(path: ValuePath, message: string): Fault {
  const [root, ...steps] = path.steps();
  const [described = '', ...name] = String(root).split("'");
  if (name.length > 0) {
    const [kind = ''] = described.split(' ');
    return { in: kind, name: name.slice(0, -1).join("'"), pointer: null, message };
  }
  const pointer = steps
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
  const field = steps.findLast((step) => typeof step === 'string');
  return { in: 'body', name: field ?? 'body', pointer, message };
}

/** Maximum characters of a value in a message. */
const longest = 40;

/** A value for a message: strings are quoted and shortened, arrays and objects are only shown by their type. */
export function printValue(value: Json): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (typeof value === 'string') {
    // Do not split a surrogate pair.
    const cut = value.slice(0, longest).replace(/[\ud800-\udbff]$/, '');
    return JSON.stringify(value.length > longest ? `${cut}…` : value);
  }
  return Array.isArray(value) ? 'an array' : 'an object';
}
