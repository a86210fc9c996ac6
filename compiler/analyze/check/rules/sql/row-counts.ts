/** Checks the numbers of rows in LIMIT and OFFSET on MySQL and MariaDB. */
import { error } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { spanOfNode } from '../../../../read/sql/sql-text.js';
import { sqlRule } from '../../sql/sql-rule.js';
import { soundTree } from '../../sql/sound-tree.js';

/** Reports expressions in LIMIT and OFFSET that neither the server nor the service calculates. */
export const sqlRowCount = sqlRule(
  {
    'sql-row-count': error({ clause: 'word' }, (p: { clause: string }) => ({
      message: `MySQL and MariaDB do not calculate this number of rows after ${p.clause}.`,
      hint: 'The service calculates integers and placeholders with +, - and *. For everything else, write an expression in the placeholder, such as :[COALESCE(PARAM(limit), INTEGER(20))], or read the number in a step before.',
    })),
  },
  (sql, report) => {
    const tree = sql.dialect === 'mysql' ? soundTree(sql) : undefined;
    for (const node of tree?.nodes ?? []) {
      if (node.kind !== 'clause' || (node.name !== 'LIMIT' && node.name !== 'OFFSET')) continue;
      const wrong = node.children.find(({ kind }) => calculated.has(kind));
      if (wrong !== undefined && tree !== undefined)
        report('sql-row-count', spanOfNode(sql, wrong, tree.items), { clause: node.name });
    }
  },
);

/** Names are valid in stored procedures, and words are part of `ROWS EXAMINED`. */
const calculated: ReadonlySet<string> = new Set([
  ...(['operation', 'parentheses', 'call', 'cast', 'case', 'subquery', 'string'] as const),
]);
