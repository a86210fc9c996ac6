/** A statement of the configuration, with holes where the number of markers varies, and what the server gets of it and its values. */
import type { ExactDigits } from '../handler/exact-numbers.js';
import type { Json } from '../handler/json.js';
import type { DatabaseKind } from './jdbc-url.js';

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

/** Values that drivers get. */
export type SqlValue = Json | BoundNumber | BoundBytes;

/** The values of a statement. */
export type BoundValue = SqlValue | ExactDigits;

/** Values that handlers pass: a missing field (undefined) is NULL, like null. */
export type PassedValue = BoundValue | undefined;

/** A position in a statement for one or more values, in the order of the values; `in-lists.ts` has the kinds. */
export interface Hole {
  /** The template with these holes, of which this is one. */
  template(strings: readonly string[], holes: readonly Hole[]): SqlTemplate;
}

/** A text with holes: `strings[0] hole[0] strings[1] hole[1] … strings[n]`. */
export interface SqlTemplate {
  readonly strings: readonly string[];
  readonly holes: readonly Hole[];
  /** Throws a ServiceError 400 when a list is longer than a statement can carry. */
  render(values: readonly BoundValue[], kind: DatabaseKind): RenderedSql;
  /** With the clause on a line behind it. */
  followedBy(clause: string): SqlTemplate;
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
  return holes[0]?.template(texts, holes) ?? texts.join('');
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
export function withReturning(sql: string, returning: string): string;
export function withReturning(sql: string | SqlTemplate, returning: string | undefined): string | SqlTemplate;
export function withReturning(
  sql: string | SqlTemplate,
  returning: string | undefined,
): string | SqlTemplate {
  if (returning === undefined) return sql;
  if (typeof sql !== 'string') return sql.followedBy(returning);
  return `${sql}${/\n|--/.test(sql) ? '\n' : ' '}${returning}`;
}

export interface RenderedSql {
  readonly text: string;
  readonly values: readonly BoundValue[];
  /** For each value, the index of the statement's value that it is from; undefined if they are the same. */
  readonly origins?: readonly number[];
}

/** The text with its markers, and one value for each. Throws a ServiceError 400 when a list is longer than a statement can carry. */
export function renderSql(
  sql: string | SqlTemplate,
  passed: readonly PassedValue[],
  kind: DatabaseKind,
): RenderedSql {
  const values = passed.every((value) => value !== undefined) ? passed : passed.map((value) => value ?? null);
  return typeof sql === 'string' ? { text: sql, values } : sql.render(values, kind);
}
