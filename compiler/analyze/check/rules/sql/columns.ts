/** Reports columns that a driver cannot read. */
import { error } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { spanOfNode } from '../../../../read/sql/sql-text.js';
import { sentStatement } from '../../sql/sent-statement.js';
import { refusingRule } from '../../sql/sql-rule.js';

/** mysql2 closes the connection when a column is named `__proto__`. */
export const sqlColumnProto = refusingRule(
  {
    'sql-column-proto': error({ written: 'text' }, (p: { written: string; isAlias: boolean }) => ({
      message: 'The MySQL driver cannot read a column named `__proto__`.',
      hint: p.isAlias ? 'Write another name after AS.' : `Write ${p.written} AS proto.`,
    })),
  },
  (sql, report) => {
    const tree = sql.dialect === 'mysql' ? sentStatement(sql)?.tree : undefined;
    for (const node of tree?.nodes ?? []) {
      if (tree === undefined || node.kind !== 'column') continue;
      const isAlias = node.alias !== undefined;
      const name = node.alias ?? (node.value.kind === 'name' ? node.value.last : -1);
      const written = tree.items[name]?.token.text ?? '';
      if (/^(["'`]?)__proto__\1$/.test(written))
        report('sql-column-proto', spanOfNode(sql, { first: name, last: name }, tree.items), {
          written,
          isAlias,
        });
    }
  },
);
