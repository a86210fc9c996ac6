/** Lists in statements, in which the number of values varies. */
import { tooMany, type Hole, type MarkerStyle, type SqlValue } from './sql.js';

/** One marker for one value. */
export const value: Hole = {
  render: ([single = null], _style, bind) => bind(single),
};

/** `IN ( … )` over the elements of the next `count` values; without any element it matches nothing (decisions 5.3). */
export function inList(count = 1): Hole {
  return list(count, 'IN', ({ inNothing }) => inNothing);
}

/** `NOT IN ( … )` over the elements of the next `count` values; without any element it matches everything. */
export function notInList(count = 1): Hole {
  return list(count, 'NOT IN', ({ notInNothing }) => notInNothing);
}

/** The elements of one value in a list that holds something else too: `in (1${more.before})`; none when it is empty. */
export const more = {
  before: elements((marker) => `, ${marker}`),
  after: elements((marker) => `${marker}, `),
};

function list(count: number, operator: string, nothing: (style: MarkerStyle) => string): Hole {
  return {
    count,
    render(values, style, bind) {
      const items = itemsOf(values, style);
      return items.length === 0 ? nothing(style) : `${operator} (${items.map(bind).join(', ')})`;
    },
  };
}

function elements(withComma: (marker: string) => string): Hole {
  return {
    render: (values, style, bind) =>
      itemsOf(values, style)
        .map((item) => withComma(bind(item)))
        .join(''),
  };
}

/**
 * The elements of the values, the last one repeated up to the next power of two: a list with one element more or less is then mostly
 * the same text, so that few texts have to be prepared. Throws a ServiceError 400 before so many markers are written, which would take long.
 */
function itemsOf(values: readonly SqlValue[], { maxValues }: MarkerStyle): readonly SqlValue[] {
  const items = values.flatMap((one): readonly SqlValue[] => (Array.isArray(one) ? one : [one]));
  if (items.length > maxValues) throw tooMany();
  const last = items.at(-1);
  if (last === undefined) return items;
  const size = 2 ** Math.ceil(Math.log2(items.length));
  // Repetition must not be what makes a list too long.
  if (size > maxValues / 2) return items;
  return [...items, ...Array.from({ length: size - items.length }, () => last)];
}
