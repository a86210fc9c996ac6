/** A statement's text as it stands in the configuration, with holes where the number of markers varies, and what its placeholders are given. */
import type { Json } from '../handler/json.js';

/** A number that MySQL and MariaDB get as a number and not as a text. */
export class BoundNumber {
  /** As its decimal digits, so that nothing is lost; undefined for a value that is none, which is refused when it is bound. */
  constructor(readonly digits: string | undefined) {}
}

export type SqlValue = Json | BoundNumber;

/** What handlers give: a field that is not there, undefined, is NULL as null is. */
export type GivenValue = SqlValue | undefined;

/** A place that the values of a statement fill; they are taken in order. */
export type Hole =
  /** One marker for one value. */
  | { readonly kind: 'value' }
  /** The whole `IN ( … )` or `NOT IN ( … )` over the elements of the next `count` values. */
  | { readonly kind: 'in-list'; readonly negated: boolean; readonly count: number }
  /** The elements of the next value inside a list that holds something else too, each with a comma. */
  | { readonly kind: 'elements'; readonly comma: 'before' | 'after' };

/** A text with holes: `strings[0] hole[0] strings[1] hole[1] … strings[n]`. */
export interface SqlTemplate {
  readonly strings: readonly string[];
  readonly holes: readonly Hole[];
}

/** One marker for one value. */
export const value: Hole = { kind: 'value' };

/** `IN ( … )` over the elements of the next `count` values; without any element it matches nothing (decisions 5.3). */
export function inList(count = 1): Hole {
  return { kind: 'in-list', negated: false, count };
}

/** `NOT IN ( … )` over the elements of the next `count` values; without any element it matches everything. */
export function notInList(count = 1): Hole {
  return { kind: 'in-list', negated: true, count };
}

/** The elements of one value in a list that holds something else too: `in (1${more.before})`; none when it is empty. */
export const more = {
  before: { kind: 'elements', comma: 'before' },
  after: { kind: 'elements', comma: 'after' },
} as const satisfies Record<string, Hole>;

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
