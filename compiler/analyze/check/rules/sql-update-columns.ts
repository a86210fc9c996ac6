/** `insert_id` and `affected_rows` of an UPDATE on PostgreSQL, which returns the changed rows (decisions 11.3). */
import type { DataFulfillment } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';
import { fieldRead, outcomeColumns, updateNamed } from '../update-outcome.js';

export const sqlUpdateColumns = rule(
  {
    'sql-update-columns': warning((p: { name: string; field: string; syntax: 'A' | 'B' }) => ({
      message: `'${p.field}' is always null: an UPDATE on PostgreSQL returns the changed rows.`,
      hint:
        p.field === 'affected_rows'
          ? `Write ${p.syntax === 'B' ? `${p.name}.size()` : `SIZE(VALUE(${p.name}, $))`} for their number.`
          : `Read the column itself, such as ${p.syntax === 'B' ? `${p.name}.id` : `VALUE(${p.name}, $.id)`}.`,
    })),
  },
  ({ report }) => ({
    value: ({ name, path, span }, { operation, scope }) => {
      const update = updateNamed(name, scope);
      const field = fieldRead(path);
      if (update === undefined || field === undefined || !outcomeColumns.has(field)) return;
      if (returnsChangedRows(update))
        report('sql-update-columns', span, { name, field, syntax: operation.syntax });
    },
  }),
);

/** Whether all of its statements are for PostgreSQL and get a RETURNING. */
function returnsChangedRows({ instructions }: DataFulfillment): boolean {
  return instructions.every(
    ({ action }) => action !== undefined && !('kind' in action) && action.takesReturning,
  );
}
