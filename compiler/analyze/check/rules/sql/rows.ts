/** Warns of effects on rows that do not match the fulfillment type, although they may be intended. */
import { isRetryable } from '../../../../read/sql/facts/retry.js';
import { changesRows, hasReturning } from '../../../../read/sql/facts/verb.js';
import { clauseOf, type SqlNode, type SqlTree } from '../../../../read/sql/parse/tree.js';
import { spanOfNode } from '../../../../read/sql/sql-text.js';
import { warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import type { Span } from '../../../../read/source.js';
import { sqlRule } from '../../sql/sql-rule.js';
import { soundTree } from '../../sql/sound-tree.js';

/** Reports a READ that changes rows, an UPDATE that only reads, and a DELETE or UPDATE of all rows. */
export const sqlReadChanges = sqlRule(
  {
    'sql-read-changes': warning({ written: 'text' }, (p: { written: string; type: Span | undefined }) => ({
      ...(p.type && { instead: 'UPDATE', insteadOf: p.type }),
      message: `This READ changes data: ${p.written}.`,
      hint: `Write \`type: UPDATE\`${p.written.endsWith('RETURNING') ? '; its result is what RETURNING returns' : ''}.`,
    })),
    'sql-update-reads': warning({ verb: 'word' }, (p: { verb: string; type: Span | undefined }) => ({
      ...(p.type && { instead: 'READ', insteadOf: p.type }),
      // An UPDATE may be intended, because of a function's side effects.
      isSuggestion: true,
      message: `This UPDATE changes nothing: ${p.verb} only reads.`,
      hint: 'Use `type: READ`: a READ is retried after a lost connection and can run at the same time as other READs.',
    })),
    'sql-every-row': warning({ verb: 'word' }, (p: { verb: string }) => ({
      message: `${p.verb} without WHERE ${p.verb === 'DELETE' ? 'removes' : 'changes'} every row.`,
      hint: 'Add a WHERE, or write WHERE true to select every row.',
    })),
  },
  (sql, report) => {
    const tree = soundTree(sql);
    if (tree === undefined) return;
    const { dialect, use, type } = sql;
    const { verb, verbItem } = tree.main;
    const span = spanOfNode(sql, { first: verbItem, last: verbItem }, tree.items);
    const change = use === 'READ' ? changeIn(tree) : undefined;
    if (change !== undefined) report('sql-read-changes', span, { written: change, type });
    // A lock, a sequence or an unknown function also counts as a change, and is a reason for UPDATE.
    if (use === 'UPDATE' && isRetryable(tree, dialect)) report('sql-update-reads', span, { verb, type });
    if ((verb === 'DELETE' || verb === 'UPDATE') && isOfEveryRow(tree))
      report('sql-every-row', span, { verb });
  },
);

/** The change in a statement that returns rows, as named in messages. */
function changeIn(tree: SqlTree): string | undefined {
  const { main, nodes, items } = tree;
  if (changesRows(main.verb)) return hasReturning(tree) ? `${main.verb} … RETURNING` : undefined;
  if (/^(?:EXPLAIN|ANALYZE|DESC|DESCRIBE)$/.test(main.verb)) {
    // `EXPLAIN ANALYZE DELETE`, `EXPLAIN (ANALYZE, BUFFERS) DELETE` and MariaDB's `ANALYZE DELETE` execute the statement.
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

/**
 * Whether the statement affects all rows: it has no condition, no joins or limit (MySQL), no period portion (MariaDB), and no USING or FROM
 * (PostgreSQL).
 */
function isOfEveryRow({ main, items }: SqlTree): boolean {
  const chooses = ['WHERE', 'LIMIT', 'USING', 'FROM'].some((name) => clauseOf(main, name) !== undefined);
  const target = main.clauses[0];
  const isJoined = target?.children.some(({ kind }) => kind === 'join') === true;
  const isPortion = (node: SqlNode): boolean =>
    node.children.some(({ first }) => items[first + 1]?.word === 'PORTION');
  return !chooses && !isJoined && target?.children.some(isPortion) !== true;
}
