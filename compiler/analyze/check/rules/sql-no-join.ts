/** `FROM orders o, customer c` without a condition that joins them. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { unjoinedTables } from '../../../read/sql/facts/unjoined-tables.js';
import { rule } from '../rule.js';

export const sqlNoJoin = rule(
  {
    'sql-no-join': warning((p: { name: string }) => ({
      message: `Nothing joins '${p.name}' with the other tables: every row of it comes with every row of theirs.`,
      hint: `Write JOIN … ON with the condition, or CROSS JOIN where every pair is meant.`,
    })),
  },
  ({ report }) => ({
    statement: ({ pieces: { bounds, text } }) => {
      for (const { first, last, name } of unjoinedTables(bounds.items))
        report('sql-no-join', text.spanOf(first.token.start, last.token.end), { name });
    },
  }),
);
