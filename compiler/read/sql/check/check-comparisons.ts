/** Comparisons of a statement that are the same for every row: with NULL, and of a column with itself. */
import type { Name, Operation, SqlNode, SqlTree } from '../parse/tree.js';
import { spanOfNode, type SqlCheckContext } from './sql-check-context.js';

/** Reports them: warnings, for the database accepts both. In SET and VALUES `=` assigns. */
export function checkComparisons(context: SqlCheckContext, tree: SqlTree): void {
  for (const node of tree.nodes) {
    if (node.kind !== 'operation' || !/^(?:=|<>|!=)$/.test(node.operator)) continue;
    const clause = node.clause?.name ?? '';
    if (!/^(?:SELECT|WHERE|ON|HAVING)$/.test(clause)) continue;
    const [left, right] = node.operands;
    if (right?.kind === 'word' && tree.items[right.first]?.word === 'NULL') {
      const compared = { first: node.operatorItem, last: right.last };
      const instead = node.operator === '=' ? 'IS NULL' : 'IS NOT NULL';
      const written = textOf(context, tree, compared);
      context.report.add('sql-equals-null', spanOfNode(context, compared, tree.items), { written, instead });
    } else if (
      node.operator === '=' &&
      clause !== 'SELECT' &&
      left?.kind === 'name' &&
      right?.kind === 'name'
    )
      checkSame(context, tree, node, left, right);
  }
}

/** `id = id`, with or without the table before it. */
function checkSame(context: SqlCheckContext, tree: SqlTree, node: Operation, left: Name, right: Name): void {
  const words = ({ first, last }: Name): string =>
    tree.items
      .slice(first, last + 1)
      .map(({ word }) => word)
      .join('');
  // Names in quotes have no word.
  if (words(left) !== words(right) || tree.items[left.last]?.word === '') return;
  const [column, written] = [textOf(context, tree, left), textOf(context, tree, node)];
  context.report.add('sql-same-sides', spanOfNode(context, node, tree.items), { written, column });
}

function textOf(
  { text }: SqlCheckContext,
  { items }: SqlTree,
  node: Pick<SqlNode, 'first' | 'last'>,
): string {
  return text.value.slice(items[node.first]?.token.start, items[node.last]?.token.end);
}
