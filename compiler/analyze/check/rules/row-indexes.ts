/** Reports rows that a result never has because its statement returns fewer rows. */
import type { Fulfillment } from '../../../read/config/config-model.js';
import { isStatement, reachedInstructions } from '../../../read/config/walk.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { counted } from '../../../read/diagnostics/quoted-list.js';
import { rowLimitOf } from '../../../read/sql/facts/row-limit.js';
import { hasOneRow } from '../../../read/sql/facts/unique-rows.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import type { Analysis } from '../../operations/analysis.js';
import { rowRead } from '../../types/row-read.js';
import { keyedTables } from '../../operations/statements/keyed-tables.js';
import { rule } from '../rule.js';

/** Reports `VALUE(order, $[1].id)` for a statement that finds a single row by its key. */
export const rowNeverThere = rule(
  {
    'row-never-there': warning({ name: 'text' }, (p: { name: string; limit: number }) => ({
      message: `The statement of '${p.name}' returns at most ${counted(p.limit, 'row')}: this row never exists.`,
      hint: 'Indexes begin with 0: [0] is the first row. A field without an index also belongs to the first row.',
    })),
  },
  ({ analysis, report }) => ({
    value: ({ name, path, span }, { scope }) => {
      const [step] = path;
      const read = step?.kind === 'index' ? rowRead(path) : undefined;
      const fulfillment = scope.visible.get(name);
      if (read === undefined || fulfillment === undefined) return;
      const limit = largestResult(fulfillment, analysis);
      if (limit !== undefined && read.before >= limit) report('row-never-there', span, { name, limit });
    },
  }),
);

/** The maximum number of rows; undefined if unknown. */
function largestResult(fulfillment: Fulfillment, analysis: Analysis): number | undefined {
  if (fulfillment.type !== 'READ' || fulfillment.page !== undefined) return undefined;
  const limits = reachedInstructions(fulfillment).map(({ action }) =>
    isStatement(action) ? largestOf(action, analysis) : undefined,
  );
  const known = limits.filter((limit) => limit !== undefined);
  return known.length === 0 || known.length < limits.length ? undefined : Math.max(...known);
}

function largestOf(statement: SqlStatement, analysis: Analysis): number | undefined {
  if (statement.verb !== 'SELECT') return undefined;
  const limit = rowLimitOf(statement);
  if (limit === 1) return limit;
  const asked = analysis.descriptions.of(statement)?.asked;
  if (asked === undefined) return limit;
  return hasOneRow(statement, keyedTables(analysis.descriptions.tables(asked.datasource))) ? 1 : limit;
}
