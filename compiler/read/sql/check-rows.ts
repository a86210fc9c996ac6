/** What a statement does to rows that its fulfillment does not declare: warnings, for both may be meant. */
import type { OutlineToken } from './outline.js';
import { spanOf, type SqlCheckContext, type Use } from './sql-check-context.js';
import { isRetryable } from './retry.js';
import { changesRows, hasKeyword, hasReturning } from './verb.js';

/** Reports a READ that changes rows, an UPDATE that only reads, and a DELETE or UPDATE of all rows. */
export function checkRows(
  context: SqlCheckContext,
  items: readonly OutlineToken[],
  verb: OutlineToken,
  use: Use | undefined,
): void {
  const span = spanOf(context, verb);
  if (use === 'READ' && changesRows(verb.word) && hasReturning(items, verb))
    context.report.add('sql-read-changes', span, { verb: verb.word, type: context.type });
  // A lock, a sequence or an unknown function is a change too, and a reason to write UPDATE.
  if (use === 'UPDATE' && isRetryable(items, verb, context.dialect))
    context.report.add('sql-update-reads', span, { verb: verb.word, type: context.type });
  if ((verb.word === 'DELETE' || verb.word === 'UPDATE') && isOfEveryRow(items, verb))
    context.report.add('sql-every-row', span, { verb: verb.word });
}

/** What chooses the rows: MySQL joins and limits, MariaDB's portions of a period, PostgreSQL's USING and FROM. */
const choosing = ['WHERE', 'JOIN', 'STRAIGHT_JOIN', 'LIMIT', 'USING', 'PORTION'];

function isOfEveryRow(items: readonly OutlineToken[], verb: OutlineToken): boolean {
  const all = verb.word === 'UPDATE' ? [...choosing, 'FROM'] : choosing;
  return !all.some((word) => hasKeyword(items, verb, word));
}
