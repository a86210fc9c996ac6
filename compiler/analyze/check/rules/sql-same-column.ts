/** Columns of one result with the same name: a row has each name once. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { hidingColumns } from '../../../read/sql/result-columns.js';
import { rule } from '../rule.js';

export const sqlSameColumn = rule(
  {
    'sql-same-column': warning((p: { name: string }) => ({
      message: `Two columns of this result are named '${p.name}': only the last of them is in its rows.`,
      hint: `Name one of them with AS, such as AS other_${p.name}.`,
    })),
  },
  ({ report }) => ({
    statement: ({ pieces, dialect, returnsRows }) => {
      if (!returnsRows) return;
      for (const { name, first, last } of hidingColumns(pieces.bounds.items, pieces.verb, dialect))
        report('sql-same-column', pieces.text.spanOf(first.token.start, last.token.end), { name });
    },
  }),
);
