/** Lists in statements, in which the number of values varies. */
import { exactIn } from '../handler/exact-numbers.js';
import { ServiceError } from '../handler/reply.js';
import type { DatabaseKind } from './jdbc-url.js';
import type { Hole, RenderedSql, SqlTemplate, BoundValue } from './sql-template.js';

/** How a dialect writes the content of the holes. */
interface MarkerStyle {
  /** The marker of the value with this index, counted from 1. */
  marker(index: number): string;
  /** The SQL instead of `IN ( … )` and `NOT IN ( … )` without elements. */
  readonly inNothing: string;
  readonly notInNothing: string;
  /** How many values a statement can carry. Both protocols count them in 16 bits. */
  readonly maxValues: number;
}

const styles: Readonly<Record<DatabaseKind, MarkerStyle>> = {
  postgresql: {
    marker: (index) => `$${index}`,
    inNothing: `= ANY ('{}')`,
    notInNothing: `<> ALL ('{}')`,
    // The driver reads the server's count as a signed number.
    maxValues: 32_767,
  },
  mysql: {
    marker: () => '?',
    inNothing: 'IN (SELECT NULL FROM DUAL WHERE FALSE)',
    notInNothing: 'NOT IN (SELECT NULL FROM DUAL WHERE FALSE)',
    maxValues: 65_535,
  },
};

/** The SQL for a hole. `bind` adds a value, and returns its marker. Throws a ServiceError 400 for too many values. */
type Render = (
  values: readonly BoundValue[],
  style: MarkerStyle,
  bind: (value: BoundValue) => string,
) => string;

/** The class of every hole. */
class ListHole implements Hole {
  /** It takes `count` of the statement's values. */
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

/** One marker for one value. */
export const value: Hole = new ListHole(([single = null], _style, bind) => bind(single));

/** `IN ( … )` over the elements of the next `count` values; without elements it matches nothing. */
export function inList(count = 1): Hole {
  return list(count, 'IN', ({ inNothing }) => inNothing);
}

/** `NOT IN ( … )` over the elements of the next `count` values; without elements it matches everything. */
export function notInList(count = 1): Hole {
  return list(count, 'NOT IN', ({ notInNothing }) => notInNothing);
}

/** The elements of one value in a list with other elements: `in (1${more.before})`; an empty string without elements. */
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
 * The elements of the values, with the last one repeated up to the next power of two. Lists of similar length then usually have the same
 * SQL, so fewer statements have to be prepared. Throws a ServiceError 400 before too many markers are written, which would take long.
 */
function itemsOf(values: readonly BoundValue[], { maxValues }: MarkerStyle): readonly BoundValue[] {
  const items = values.flatMap((one): readonly BoundValue[] => (Array.isArray(one) ? exactIn(one) : [one]));
  if (items.length > maxValues) throw tooMany();
  const last = items.at(-1);
  if (last === undefined) return items;
  const size = 2 ** Math.ceil(Math.log2(items.length));
  // The repetition itself must not exceed the maximum.
  if (size > maxValues / 2) return items;
  return [...items, ...Array.from({ length: size - items.length }, () => last)];
}

function tooMany(): ServiceError {
  return new ServiceError(400, 'Too many values');
}
