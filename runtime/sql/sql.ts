/** A statement of the configuration, with holes where the number of markers varies, and what the server gets of it and its values. */
import type { Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';

/** A number that MySQL and MariaDB get as a number and not as a text. */
export class BoundNumber {
  /** As its decimal digits, so that nothing is lost; undefined for a value that is not a number, which is refused when it is bound. */
  constructor(readonly digits: string | undefined) {}
}

/** Bytes, as they are: only for binary columns. */
export class BoundBytes {
  /** In order. */
  constructor(private readonly chunks: readonly Buffer[]) {}

  /** Joined when they are sent. */
  toBuffer(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

export type SqlValue = Json | BoundNumber | BoundBytes;

/** Values that handlers pass: a missing field (undefined) is NULL, like null. */
export type PassedValue = SqlValue | undefined;

/** A position in a statement for one or more values, in the order of the values; `lists.ts` has the kinds. */
export interface Hole {
  /** How many of the statement's values it takes; one where it is left out. */
  readonly count?: number;
  /** The text in its place; `bind` adds a value, and returns its marker. Throws a ServiceError 400 for too many values. */
  render(values: readonly SqlValue[], style: MarkerStyle, bind: (value: SqlValue) => string): string;
}

/** A text with holes: `strings[0] hole[0] strings[1] hole[1] … strings[n]`. */
export interface SqlTemplate {
  readonly strings: readonly string[];
  readonly holes: readonly Hole[];
}

/**
 * The statement's text, written on lines of its own and indented like the code around it. Taken away again are the
 * first and the last line break and, from every line that has it, the indentation of the first line that is not
 * empty: the database gets the text of the configuration, its inner indentation included.
 */
export function sql(strings: TemplateStringsArray): string;
export function sql(strings: TemplateStringsArray, ...holes: readonly [Hole, ...Hole[]]): SqlTemplate;
export function sql(strings: TemplateStringsArray, ...holes: readonly Hole[]): string | SqlTemplate {
  const texts = outdent(strings);
  return holes.length === 0 ? texts.join('') : { strings: texts, holes };
}

function outdent(strings: readonly string[]): string[] {
  // A line that begins with a hole ends its string right after the indentation, so no line is torn apart here.
  const indentation = /^\n+([ \t]*)/.exec(strings[0] ?? '')?.[1];
  if (indentation === undefined) return [...strings];
  const last = strings.length - 1;
  return strings.map((text, index) => {
    const outdented = text.replaceAll(`\n${indentation}`, '\n');
    const started = index === 0 ? outdented.slice(1) : outdented;
    return index === last ? started.replace(/\n[ \t]*$/, '') : started;
  });
}

/** The text with the clause behind it, on a line of its own where the text has several lines, or may end in a comment. */
export function withReturning(
  sql: string | SqlTemplate,
  returning: string | undefined,
): string | SqlTemplate {
  if (returning === undefined) return sql;
  if (typeof sql !== 'string') {
    const { strings, holes } = sql;
    return { strings: [...strings.slice(0, -1), `${strings.at(-1) ?? ''}\n${returning}`], holes };
  }
  return `${sql}${/\n|--/.test(sql) ? '\n' : ' '}${returning}`;
}

/** How a dialect writes the content of the holes. */
export interface MarkerStyle {
  /** The marker of the value with this index, counted from 1. */
  marker(index: number): string;
  /** The SQL instead of `IN ( … )` and `NOT IN ( … )` without elements. */
  readonly inNothing: string;
  readonly notInNothing: string;
  /** How many values a statement can carry. Both protocols count them in 16 bits. */
  readonly maxValues: number;
}

/** PostgreSQL counts its markers. */
export const postgresMarkers: MarkerStyle = {
  marker: (index) => `$${index}`,
  inNothing: `= ANY ('{}')`,
  notInNothing: `<> ALL ('{}')`,
  // The driver reads the server's count as a signed number.
  maxValues: 32_767,
};

/** MySQL's and MariaDB's markers are all alike. */
export const mysqlMarkers: MarkerStyle = {
  marker: () => '?',
  inNothing: 'IN (SELECT NULL FROM DUAL WHERE FALSE)',
  notInNothing: 'NOT IN (SELECT NULL FROM DUAL WHERE FALSE)',
  maxValues: 65_535,
};

export interface RenderedSql {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** For each value, the index of the statement's value that it is from; undefined if they are the same. */
  readonly origins?: readonly number[];
}

/** The text with its markers, and one value for each. Throws a ServiceError 400 when a list is longer than a statement can carry. */
export function renderSql(
  sql: string | SqlTemplate,
  passed: readonly PassedValue[],
  style: MarkerStyle,
): RenderedSql {
  const values = passed.every((value) => value !== undefined) ? passed : passed.map((value) => value ?? null);
  if (typeof sql === 'string') return { text: sql, values };
  const bound: SqlValue[] = [];
  const origins: number[] = [];
  const bind = (value: SqlValue): string => style.marker(bound.push(value));
  let taken = 0;
  let text = sql.strings[0] ?? '';
  sql.holes.forEach((hole, index) => {
    const { count = 1 } = hole;
    text += hole.render(values.slice(taken, taken + count), style, bind);
    while (origins.length < bound.length) origins.push(taken);
    text += sql.strings[index + 1] ?? '';
    taken += count;
  });
  if (bound.length > style.maxValues) throw tooMany();
  return { text, values: bound, origins };
}

/** The error for a list that is longer than a statement can carry. */
export function tooMany(): ServiceError {
  return new ServiceError(400, 'Too many values');
}
