/** Reports placeholders where MySQL and MariaDB only accept a constant, or ignore a parameter. */
import { calledName } from '../../../../read/sql/facts/mysql-alternatives.js';
import { wrapped, type Placeholder, type SqlTree } from '../../../../read/sql/parse/tree.js';
import { spanOfNode } from '../../../../read/sql/sql-text.js';
import { error, warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { sqlRule } from '../../sql/sql-rule.js';

/** Functions with the index of the argument that must be constant. */
const constantArguments: Readonly<Record<string, number>> = {
  EXTRACTVALUE: 1,
  UPDATEXML: 1,
  JSON_TABLE: 1,
  PERCENTILE_CONT: 0,
  PERCENTILE_DISC: 0,
};

const writeItself = 'Write the value itself, or one query for each value, each with its own `if`.';

export const sqlConstantOnly = sqlRule(
  {
    'sql-constant-only': error(
      { where: 'sentence', hint: 'sentence' },
      (p: { where: string; hint: string }) => ({
        message: `MySQL and MariaDB accept no parameter ${p.where}.`,
        hint: p.hint,
      }),
    ),
    'sql-values-of-query': error({ written: 'text' }, (p: { written: string }) => ({
      message: 'MariaDB turns a parameter in VALUES into an empty string, except in an INSERT.',
      hint: `Write the rows as SELECT … UNION ALL SELECT …, or CAST(${p.written} AS CHAR(100)) with a sufficient length.`,
    })),
    'sql-constant-frame': warning(() => ({
      message: 'MariaDB accepts no parameter in the frame of a window.',
      hint: 'Write the number itself, or one query for each number, each with its own `if`.',
    })),
  },
  (sql, report) => {
    const { dialect, tree } = sql;
    if (dialect !== 'mysql' || tree === undefined) return;
    for (const node of tree.nodes) {
      if (node.kind !== 'placeholder') continue;
      const span = spanOfNode(sql, node, tree.items);
      const where = constantContext(node, tree);
      if (where !== undefined) report('sql-constant-only', span, { where, hint: writeItself });
      else if (isQueryRow(node))
        report('sql-values-of-query', span, { written: tree.items[node.first]?.token.text ?? '' });
      else if (node.clause?.name === 'FRAME') report('sql-constant-frame', span);
    }
  },
);

function constantContext(node: Placeholder, tree: SqlTree): string | undefined {
  if (node.clause?.name === 'SEPARATOR') return 'after SEPARATOR';
  const one = wrapped(node);
  const call = one.parent;
  if (call?.kind !== 'call') return undefined;
  const name = calledName(call, tree);
  const argument = Object.hasOwn(constantArguments, name) ? constantArguments[name] : undefined;
  const isThat = argument !== undefined && call.arguments[argument] === one;
  return isThat ? `in ${name.toLowerCase()}( … )` : undefined;
}

/** Whether the placeholder is a whole column in VALUES as a query, `FROM (VALUES (…), (…))`, that no INSERT stores. */
function isQueryRow({ parent, query }: Placeholder): boolean {
  const isRow =
    parent?.kind === 'parentheses' && parent.parent?.kind === 'clause' && parent.parent.name === 'VALUES';
  return isRow && query?.verb === 'VALUES';
}
