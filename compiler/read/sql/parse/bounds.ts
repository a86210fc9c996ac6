/** Finds the end of the only statement in a SQL string: a semicolon may follow, a second statement may not. */
import type { Sink } from '../../diagnostics/finding.js';
import type { ScalarText } from '../../source.js';
import type { Item } from './tree.js';

export interface Bounds {
  /** The items of the first statement. */
  readonly items: readonly Item[];
  /** The indexes (among all tokens) of the semicolons after the statement. */
  readonly semicolons: ReadonlySet<number>;
  /** False if another statement follows. */
  readonly isOnly: boolean;
}

/** The first statement; undefined if the SQL is empty. Reports and ignores a second statement. */
export function boundsOf(text: ScalarText, items: readonly Item[], report: Sink): Bounds | undefined {
  const isEnd = (item: Item): boolean => item.word === ';';
  if (items.every(isEnd)) {
    report.add('sql-empty', text.span);
    return undefined;
  }
  const end = items.findIndex(isEnd);
  if (end === -1) return { items, semicolons: new Set(), isOnly: true };
  const rest = items.slice(end);
  const second = rest.find((item) => !isEnd(item));
  const last = rest.at(-1);
  // `BEGIN; …; COMMIT` gets a more specific diagnostic.
  const isTransaction = /^(?:BEGIN|START)$/.test(items[0]?.word ?? '');
  if (second !== undefined && last !== undefined && !isTransaction) {
    report.add('sql-several-statements', text.spanOf(second.token.start, last.token.end));
  }
  const semicolons = new Set(rest.map((item) => item.index));
  return { items: items.slice(0, end), semicolons, isOnly: second === undefined };
}
