/** Reports comparisons with the same result for every row: with NULL, and of a column with itself. */
import type { Name, SqlNode, SqlTree } from '../../../../read/sql/parse/tree.js';
import { spanOfNode, type SqlText } from '../../../../read/sql/sql-text.js';
import { warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { sqlRule } from '../../sql/sql-rule.js';
import { soundTree } from '../../sql/sound-tree.js';

/** Warnings, because databases accept both. In SET and VALUES, `=` is an assignment. */
export const sqlEqualsNull = sqlRule(
  {
    'sql-equals-null': warning(
      { written: 'text', instead: 'text' },
      (p: { written: string; instead: string }) => ({
        message: `'${p.written}' is never true: nothing equals NULL in SQL, and nothing differs from it.`,
        hint: `Write ${p.instead}.`,
        instead: p.instead,
      }),
    ),
    'sql-same-sides': warning(
      { written: 'text', column: 'text' },
      (p: { written: string; column: string }) => ({
        message: `'${p.written}' compares a column with itself, so it is true for every row where the column is not null.`,
        hint: `Write another value on one side, such as a placeholder with the value that ${p.column} must have.`,
      }),
    ),
  },
  (sql, report) => {
    const tree = soundTree(sql);
    for (const node of tree?.nodes ?? []) {
      if (tree === undefined || node.kind !== 'operation' || !/^(?:=|<>|!=)$/.test(node.operator)) continue;
      const clause = node.clause?.name ?? '';
      if (!/^(?:SELECT|WHERE|ON|HAVING)$/.test(clause)) continue;
      const [left, right] = node.operands;
      if (right?.kind === 'word' && tree.items[right.first]?.word === 'NULL') {
        const compared = { first: node.operatorItem, last: right.last };
        const instead = node.operator === '=' ? 'IS NULL' : 'IS NOT NULL';
        const written = textOf(sql, tree, compared);
        report('sql-equals-null', spanOfNode(sql, compared, tree.items), { written, instead });
      } else if (
        node.operator === '=' &&
        clause !== 'SELECT' &&
        left?.kind === 'name' &&
        right?.kind === 'name' &&
        isSame(tree, left, right)
      ) {
        const [column, written] = [textOf(sql, tree, left), textOf(sql, tree, node)];
        report('sql-same-sides', spanOfNode(sql, node, tree.items), { written, column });
      }
    }
  },
);

/** Whether both sides are the same column, with or without a qualifier: `id = id`. */
function isSame(tree: SqlTree, left: Name, right: Name): boolean {
  const words = ({ first, last }: Name): string =>
    tree.items
      .slice(first, last + 1)
      .map(({ word }) => word)
      .join('');
  // Quoted names do not have a word.
  return words(left) === words(right) && tree.items[left.last]?.word !== '';
}

function textOf({ text }: SqlText, { items }: SqlTree, node: Pick<SqlNode, 'first' | 'last'>): string {
  return text.value.slice(items[node.first]?.token.start, items[node.last]?.token.end);
}
