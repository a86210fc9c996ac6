/** The position of a value in a request (`body.items[3].title`), and how messages show values. */
import type { Json } from '../handler/json.js';
import type { Fault } from '../handler/reply.js';

/**
 * A position such as `body.items[3].title` or `query parameter 'limit'`. Its string is created only for an error. The position
 * inside a list or an object moves from one element to the next: whoever needs it later keeps a copy.
 */
export class ValuePath {
  constructor(
    private step: string | number,
    private readonly outer?: ValuePath,
  ) {}

  /** A position inside, for all elements or properties in turn. */
  inside(): ValuePath {
    return new ValuePath('', this);
  }

  /** Moves to another element or property of the same list or object. */
  to(step: string | number): this {
    this.step = step;
    return this;
  }

  /** This position, which does not move. */
  copy(): ValuePath {
    return new ValuePath(this.step, this.outer?.copy());
  }

  /** From the outside in. */
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

/** A validation error of the value at that position, for programs. */
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
