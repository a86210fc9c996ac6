/** Fields of the result of an UPDATE on MySQL and MariaDB that it never has: the result is one row with two columns (decisions 5.7). */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';
import { fieldRead, returnsOutcome, outcomeColumns, updateNamed } from '../update-outcome.js';

export const updateField = rule(
  {
    'update-field': warning((p: { name: string; field: string; syntax: 'A' | 'B' }) => ({
      message: `'${p.field}' of '${p.name}' is always null: an UPDATE on MySQL returns only 'insert_id' and 'affected_rows'.`,
      hint: `Read ${updateColumns(p)}, or the rows in a READ fulfillment after it.`,
    })),
  },
  ({ report }) => ({
    value: ({ name, path, span }, { operation, scope }) => {
      const update = updateNamed(name, scope);
      const field = fieldRead(path);
      if (update === undefined || field === undefined || !returnsOutcome(update) || outcomeColumns.has(field))
        return;
      report('update-field', span, { name, field, syntax: operation.syntax });
    },
  }),
);

function updateColumns({ name, syntax }: { readonly name: string; readonly syntax: 'A' | 'B' }): string {
  return syntax === 'B'
    ? `${name}.insert_id or ${name}.affected_rows`
    : `VALUE(${name}, $.insert_id) or VALUE(${name}, $.affected_rows)`;
}
