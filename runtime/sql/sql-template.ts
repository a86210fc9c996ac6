/** A statement of the configuration, with holes for a varying number of markers; and its form and values for the server. */
import type { ExactDigits } from '../handler/exact-numbers.js';
import type { Json } from '../handler/json.js';
import type { DatabaseKind } from './jdbc-url.js';

/** A number that MySQL and MariaDB receive as a number and not as a string. */
export class BoundNumber {
  /** The decimal digits, so that none is lost; undefined for a value that is not a number, which is refused when it is bound. */
  constructor(readonly digits: string | undefined) {}
}

/** Binary data, only for binary columns. */
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

/** A position in a statement for one or more values, in the order of the values; the kinds are in `in-lists.ts`. */
export interface Hole {
  /** The template with these holes, of which this is one. */
  template(strings: readonly string[], holes: readonly Hole[]): SqlTemplate;
}

/** SQL with holes: `strings[0] hole[0] strings[1] hole[1] … strings[n]`. */
export interface SqlTemplate {
  readonly strings: readonly string[];
  readonly holes: readonly Hole[];
  /** Throws a ServiceError 400 when a list is longer than a statement can carry. */
  render(values: readonly BoundValue[], kind: DatabaseKind): RenderedSql;
  /** With the clause on a separate line at the end. */
  followedBy(clause: string): SqlTemplate;
}

/**
 * The SQL of a statement, which is written on separate lines and indented like the code around it. Removes the first and the last line
 * break and, from every line, the indentation of the first line that is not empty. The database receives the SQL of the configuration,
 * including its inner indentation.
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

/** Appends the clause to the SQL, on a separate line if the SQL has several lines or may end in a comment. */
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
  /** For each value, the index of the statement's value from which it comes; undefined if the indexes are equal. */
  readonly origins?: readonly number[];
}

/** The SQL with its markers, and one value for each marker. Throws a ServiceError 400 if a list is longer than a statement can carry. */
export function renderSql(
  sql: string | SqlTemplate,
  passed: readonly PassedValue[],
  kind: DatabaseKind,
): RenderedSql {
  const values = passed.every((value) => value !== undefined) ? passed : passed.map((value) => value ?? null);
  return typeof sql === 'string' ? { text: sql, values } : sql.render(values, kind);
}
