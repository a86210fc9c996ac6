/** Turns a statement with holes and its values into the text and the values that the server gets. */
import { ServiceError } from '../handler/reply.js';
import type { Hole, SqlTemplate, GivenValue, SqlValue } from './sql.js';

/** How a dialect writes what stands in the holes. */
export interface MarkerStyle {
  /** The marker of the value at this place, counted from 1. */
  marker(place: number): string;
  /** What stands for `IN ( … )` and `NOT IN ( … )` without any element. */
  readonly inNothing: string;
  readonly notInNothing: string;
}

/** PostgreSQL counts its markers. */
export const postgresMarkers: MarkerStyle = {
  marker: (place) => `$${place}`,
  inNothing: `= ANY ('{}')`,
  notInNothing: `<> ALL ('{}')`,
};

/** MySQL's and MariaDB's markers are all alike. */
export const mysqlMarkers: MarkerStyle = {
  marker: () => '?',
  inNothing: 'IN (SELECT NULL FROM DUAL WHERE FALSE)',
  notInNothing: 'NOT IN (SELECT NULL FROM DUAL WHERE FALSE)',
};

export interface RenderedSql {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** For each of the values, which of the statement's it comes from; undefined where they are those. */
  readonly origins?: readonly number[];
}

/** Both protocols count the values of a statement in 16 bits. */
const maxValues = 65_535;

/** The text with its markers, and one value for each. Throws a ServiceError 400 when a list is longer than a statement can carry. */
export function renderSql(
  sql: string | SqlTemplate,
  given: readonly GivenValue[],
  style: MarkerStyle,
): RenderedSql {
  const values = given.every((value) => value !== undefined) ? given : given.map((value) => value ?? null);
  if (typeof sql === 'string') return { text: sql, values };
  const bound: SqlValue[] = [];
  const origins: number[] = [];
  let taken = 0;
  let text = sql.strings[0] ?? '';
  sql.holes.forEach((hole, index) => {
    const count = hole.kind === 'in-list' ? hole.count : 1;
    text += renderHole(hole, values.slice(taken, taken + count), bound, style);
    while (origins.length < bound.length) origins.push(taken);
    text += sql.strings[index + 1] ?? '';
    taken += count;
  });
  if (bound.length > maxValues) throw tooMany();
  return { text, values: bound, origins };
}

function tooMany(): ServiceError {
  return new ServiceError(400, 'Too many values');
}

function renderHole(hole: Hole, values: readonly SqlValue[], bound: SqlValue[], style: MarkerStyle): string {
  const bind = (value: SqlValue): string => style.marker(bound.push(value));
  if (hole.kind === 'value') return bind(values[0] ?? null);
  const items = padded(
    values.flatMap((value): readonly SqlValue[] => (Array.isArray(value) ? value : [value])),
  );
  // Before their markers are made, which would take long.
  if (items.length > maxValues) throw tooMany();
  const markers = items.map(bind);
  if (hole.kind === 'elements') {
    return markers.map((marker) => (hole.comma === 'before' ? `, ${marker}` : `${marker}, `)).join('');
  }
  if (markers.length === 0) return hole.negated ? style.notInNothing : style.inNothing;
  return `${hole.negated ? 'NOT IN' : 'IN'} (${markers.join(', ')})`;
}

/**
 * The items, the last one repeated up to the next power of two: a list with one element more or less is then mostly
 * the same text, so that few texts have to be prepared.
 */
function padded(items: readonly SqlValue[]): readonly SqlValue[] {
  const last = items.at(-1);
  if (last === undefined) return items;
  const size = 2 ** Math.ceil(Math.log2(items.length));
  // Repetition must not be what makes a list too long.
  if (size > maxValues / 2) return items;
  return [...items, ...Array.from({ length: size - items.length }, () => last)];
}
