/** What a statement does to rows that its fulfillment does not declare: warnings, for both may be meant. */
import type { OutlineToken } from '../parse/outline.js';
import { spanOf, type SqlCheckContext, type Use } from './sql-check-context.js';
import { isRetryable } from '../facts/retry.js';
import { changesRows, hasKeyword, hasReturning } from '../facts/verb.js';

/** Reports a READ that changes rows, an UPDATE that only reads, and a DELETE or UPDATE of all rows. */
export function checkRows(
  context: SqlCheckContext,
  items: readonly OutlineToken[],
  verb: OutlineToken,
  use: Use | undefined,
): void {
  const span = spanOf(context, verb);
  const change = use === 'READ' ? changeIn(items, verb) : undefined;
  if (change !== undefined)
    context.report.add('sql-read-changes', span, { written: change, type: context.type });
  // A lock, a sequence or an unknown function is a change too, and a reason to write UPDATE.
  if (use === 'UPDATE' && isRetryable(items, verb, context.dialect))
    context.report.add('sql-update-reads', span, { verb: verb.word, type: context.type });
  if ((verb.word === 'DELETE' || verb.word === 'UPDATE') && isOfEveryRow(items, verb))
    context.report.add('sql-every-row', span, { verb: verb.word });
}

/** The change of rows in a statement that returns some, as messages name it. */
function changeIn(items: readonly OutlineToken[], verb: OutlineToken): string | undefined {
  if (changesRows(verb.word)) return hasReturning(items, verb) ? `${verb.word} … RETURNING` : undefined;
  const start = items.indexOf(verb);
  if (/^(?:EXPLAIN|ANALYZE|DESC|DESCRIBE)$/.test(verb.word)) {
    // `EXPLAIN ANALYZE DELETE`, `EXPLAIN (ANALYZE, BUFFERS) DELETE`, MariaDB's `ANALYZE DELETE` run it.
    const behind = items.slice(start);
    const at = behind.findIndex(({ word, parent }) => changesRows(word) && parent === verb.parent);
    const runs = behind.slice(0, Math.max(0, at)).some(({ word }) => word === 'ANALYZE');
    return runs ? `${verb.word} … ${behind[at]?.word ?? ''}` : undefined;
  }
  const inner = items.findIndex(
    ({ word }, index) =>
      index < start &&
      changesRows(word) &&
      items[index - 1]?.opensStatement === true &&
      items[index + 1]?.word !== '(',
  );
  return inner === -1 ? undefined : `WITH … (${items[inner]?.word ?? ''} …)`;
}

/** What chooses the rows: MySQL joins and limits, MariaDB's portions of a period, PostgreSQL's USING and FROM. */
const choosing = ['WHERE', 'JOIN', 'STRAIGHT_JOIN', 'LIMIT', 'USING', 'PORTION'];

function isOfEveryRow(items: readonly OutlineToken[], verb: OutlineToken): boolean {
  const all = verb.word === 'UPDATE' ? [...choosing, 'FROM'] : choosing;
  return !all.some((word) => hasKeyword(items, verb, word));
}
