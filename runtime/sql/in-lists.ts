/** Lists in statements, which expand to a variable number of placeholders. */
import { exactIn } from '../handler/exact-numbers.js';
import { ServiceError } from '../handler/reply.js';
import type { DatabaseKind } from './jdbc-url.js';
import type { Hole, RenderedSql, SqlTemplate, BoundValue } from './sql-template.js';

/** How a dialect expands holes. */
interface MarkerStyle {
  /** The placeholder for the value with this index, starting at 1. */
  marker(index: number): string;
  /** The SQL that replaces `IN ( … )` and `NOT IN ( … )` for an empty list. */
  readonly inNothing: string;
  readonly notInNothing: string;
  /** Maximum number of values in a statement. Both protocols use 16-bit counts. */
  readonly maxValues: number;
}

const styles: Readonly<Record<DatabaseKind, MarkerStyle>> = {
  postgresql: {
    marker: (index) => `$${index}`,
    inNothing: `= ANY ('{}')`,
    notInNothing: `<> ALL ('{}')`,
    // The driver reads the count from the server as a signed number.
    maxValues: 32_767,
  },
  mysql: {
    marker: () => '?',
    inNothing: 'IN (SELECT NULL FROM DUAL WHERE FALSE)',
    notInNothing: 'NOT IN (SELECT NULL FROM DUAL WHERE FALSE)',
    maxValues: 65_535,
  },
};

/** Returns the SQL for a hole. `bind` adds a value, and returns its placeholder. Throws a ServiceError 400 for too many values. */
type Render = (
  values: readonly BoundValue[],
  style: MarkerStyle,
  bind: (value: BoundValue) => string,
) => string;

/** The implementation of all holes. */
class ListHole implements Hole {
  /** `count` is the number of statement values that the hole consumes. */
  constructor(
    readonly render: Render,
    readonly count = 1,
  ) {}

  template(strings: readonly string[], holes: readonly Hole[]): SqlTemplate {
    return new ListTemplate(strings, holes as readonly ListHole[]);
  }
}

class ListTemplate implements SqlTemplate {
  constructor(
    readonly strings: readonly string[],
    readonly holes: readonly ListHole[],
  ) {}

  render(values: readonly BoundValue[], kind: DatabaseKind): RenderedSql {
    const style = styles[kind];
    const bound: BoundValue[] = [];
    const origins: number[] = [];
    const bind = (value: BoundValue): string => style.marker(bound.push(value));
    let taken = 0;
    let text = this.strings[0] ?? '';
    this.holes.forEach(({ render, count }, index) => {
      text += render(values.slice(taken, taken + count), style, bind);
      while (origins.length < bound.length) origins.push(taken);
      text += this.strings[index + 1] ?? '';
      taken += count;
    });
    if (bound.length > style.maxValues) throw tooMany();
    return { text, values: bound, origins };
  }

  followedBy(clause: string): SqlTemplate {
    const { strings, holes } = this;
    return new ListTemplate([...strings.slice(0, -1), `${strings.at(-1) ?? ''}\n${clause}`], holes);
  }
}

/** A hole for a single value. */
export const value: Hole = new ListHole(([single = null], _style, bind) => bind(single));

/** `IN ( … )` with the elements of the next `count` values; an empty list matches nothing. */
export function inList(count = 1): Hole {
  return list(count, 'IN', ({ inNothing }) => inNothing);
}

/** `NOT IN ( … )` with the elements of the next `count` values; an empty list matches everything. */
export function notInList(count = 1): Hole {
  return list(count, 'NOT IN', ({ notInNothing }) => notInNothing);
}

/** The elements of a value, next to other list elements: `in (1${more.before})`; an empty list becomes an empty string. */
export const more = {
  before: elements((marker) => `, ${marker}`),
  after: elements((marker) => `${marker}, `),
};

function list(count: number, operator: string, nothing: (style: MarkerStyle) => string): Hole {
  const render: Render = (values, style, bind) => {
    const items = itemsOf(values, style);
    return items.length === 0 ? nothing(style) : `${operator} (${items.map(bind).join(', ')})`;
  };
  return new ListHole(render, count);
}

function elements(withComma: (marker: string) => string): Hole {
  return new ListHole((values, style, bind) =>
    itemsOf(values, style)
      .map((item) => withComma(bind(item)))
      .join(''),
  );
}

/**
 * The elements of the values. The last element is repeated to fill up to a power of two, so that lists of similar length share the same
 * SQL, and fewer statements must be prepared. Throws a ServiceError 400 before expanding too many placeholders, which would take too
 * long.
 */
function itemsOf(values: readonly BoundValue[], { maxValues }: MarkerStyle): readonly BoundValue[] {
  const items = values.flatMap((one): readonly BoundValue[] => (Array.isArray(one) ? exactIn(one) : [one]));
  if (items.length > maxValues) throw tooMany();
  const last = items.at(-1);
  if (last === undefined) return items;
  const size = 2 ** Math.ceil(Math.log2(items.length));
  // The padding itself must not exceed the maximum.
  if (size > maxValues / 2) return items;
  return [...items, ...Array.from({ length: size - items.length }, () => last)];
}

function tooMany(): ServiceError {
  return new ServiceError(400, 'Too many values');
}
