/** Effects of a statement on rows that its fulfillment does not declare: warnings, for both may be meant. */
import { isRetryable } from '../facts/retry.js';
import { changesRows, hasReturning } from '../facts/verb.js';
import { clauseOf, type SqlNode, type SqlTree } from '../parse/tree.js';
import { spanOfNode, type SqlCheckContext, type Use } from './sql-check-context.js';

/** Reports a READ that changes rows, an UPDATE that only reads, and a DELETE or UPDATE of all rows. */
export function checkRows(context: SqlCheckContext, tree: SqlTree, use: Use | undefined): void {
  const { verb, verbItem } = tree.main;
  const span = spanOfNode(context, { first: verbItem, last: verbItem }, tree.items);
  const change = use === 'READ' ? changeIn(tree) : undefined;
  if (change !== undefined)
    context.report.add('sql-read-changes', span, { written: change, type: context.type });
  // A lock, a sequence or an unknown function is a change too, and a reason to write UPDATE.
  if (use === 'UPDATE' && isRetryable(tree, context.dialect))
    context.report.add('sql-update-reads', span, { verb, type: context.type });
  if ((verb === 'DELETE' || verb === 'UPDATE') && isOfEveryRow(tree))
    context.report.add('sql-every-row', span, { verb });
}

/** The change of rows in a statement that returns some, as messages name it. */
function changeIn(tree: SqlTree): string | undefined {
  const { main, nodes, items } = tree;
  if (changesRows(main.verb)) return hasReturning(tree) ? `${main.verb} … RETURNING` : undefined;
  if (/^(?:EXPLAIN|ANALYZE|DESC|DESCRIBE)$/.test(main.verb)) {
    // `EXPLAIN ANALYZE DELETE`, `EXPLAIN (ANALYZE, BUFFERS) DELETE`, MariaDB's `ANALYZE DELETE` run it.
    const [inner] = main.parts;
    const runs = items.slice(main.first, inner?.verbItem).some(({ word }) => word === 'ANALYZE');
    return runs && inner !== undefined && changesRows(inner.verb)
      ? `${main.verb} … ${inner.verb}`
      : undefined;
  }
  const found = nodes.find(
    (node) => node.kind === 'with-query' && node.body !== undefined && changesRows(node.body.verb),
  );
  return found?.kind === 'with-query' ? `WITH … (${found.body?.verb ?? ''} …)` : undefined;
}

/** Whether nothing selects rows: no condition, MySQL's joins and limits, MariaDB's portions of a period, PostgreSQL's USING and FROM. */
function isOfEveryRow({ main, items }: SqlTree): boolean {
  const chooses = ['WHERE', 'LIMIT', 'USING', 'FROM'].some((name) => clauseOf(main, name) !== undefined);
  const target = main.clauses[0];
  const isJoined = target?.children.some(({ kind }) => kind === 'join') === true;
  const isPortion = (node: SqlNode): boolean =>
    node.children.some(({ first }) => items[first + 1]?.word === 'PORTION');
  return !chooses && !isJoined && target?.children.some(isPortion) !== true;
}
