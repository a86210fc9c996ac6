/** SQL with holes for a variable number of placeholders, and the rendered form with values for the server. */
import type { ExactDigits } from '../handler/exact-numbers.js';
import type { Json } from '../handler/json.js';
import type { DatabaseKind } from './jdbc-url.js';

/** A number that is sent to MySQL and MariaDB as a number instead of a string. */
export class BoundNumber {
  /** The decimal digits, to preserve all of them; undefined for a value that is not a number, which is rejected when it is bound. */
  constructor(readonly digits: string | undefined) {}
}

/** Binary data, for binary columns only. */
export class BoundBytes {
  /** The bytes in order, in chunks. */
  constructor(private readonly chunks: readonly Buffer[]) {}

  /** Joins the chunks when they are sent. */
  toBuffer(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

/** Values accepted by drivers. */
export type SqlValue = Json | BoundNumber | BoundBytes;

/** Values of a statement. */
export type BoundValue = SqlValue | ExactDigits;

/** Values passed by handlers: a missing field (undefined) becomes NULL, like null. */
export type PassedValue = BoundValue | undefined;

/**
 * A position in a statement for one or more values. The holes consume the statement values in order; `in-lists.ts` defines the kinds of
 * holes.
 */
export interface Hole {
  /** Creates a template from strings and holes, which include this hole. */
  template(strings: readonly string[], holes: readonly Hole[]): SqlTemplate;
}

/** SQL with holes: `strings[0] hole[0] strings[1] hole[1] … strings[n]`. */
export interface SqlTemplate {
  readonly strings: readonly string[];
  readonly holes: readonly Hole[];
  /** Renders the SQL. Throws a ServiceError 400 if a list exceeds the number of values allowed in a statement. */
  render(values: readonly BoundValue[], kind: DatabaseKind): RenderedSql;
  /** Appends a clause on a separate line. */
  followedBy(clause: string): SqlTemplate;
}

/**
 * The SQL of a statement, written on separate lines and indented like the surrounding code. Removes the first and last line break, and
 * from every line the indentation of the first non-empty line. The database receives the SQL of the configuration, including its inner
 * indentation.
 */
export function sql(strings: TemplateStringsArray): string;
export function sql(strings: TemplateStringsArray, ...holes: readonly [Hole, ...Hole[]]): SqlTemplate;
export function sql(strings: TemplateStringsArray, ...holes: readonly Hole[]): string | SqlTemplate {
  const texts = outdent(strings);
  return holes[0]?.template(texts, holes) ?? texts.join('');
}

function outdent(strings: readonly string[]): string[] {
  // If a line begins with a hole, its string ends after the indentation, so that lines are never split here.
  const indentation = /^\n+([ \t]*)/.exec(strings[0] ?? '')?.[1];
  if (indentation === undefined) return [...strings];
  const last = strings.length - 1;
  return strings.map((text, index) => {
    const outdented = text.replaceAll(`\n${indentation}`, '\n');
    const started = index === 0 ? outdented.slice(1) : outdented;
    return index === last ? started.replace(/\n[ \t]*$/, '') : started;
  });
}

/** Appends a clause to the SQL, on a separate line if the SQL has several lines or may end with a comment. */
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
  /** For each value, the index of the statement value from which it originates; undefined if the indexes are equal. */
  readonly origins?: readonly number[];
}

/**
 * The SQL with its placeholders, and one value for each placeholder. Throws a ServiceError 400 if a list exceeds the number of values
 * allowed in a statement.
 */
export function renderSql(
  sql: string | SqlTemplate,
  passed: readonly PassedValue[],
  kind: DatabaseKind,
): RenderedSql {
  const values = passed.every((value) => value !== undefined) ? passed : passed.map((value) => value ?? null);
  return typeof sql === 'string' ? { text: sql, values } : sql.render(values, kind);
}
