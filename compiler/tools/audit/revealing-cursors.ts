/** Lists with cursors whose order has a column that no response sends: a cursor contains its value, and clients can try others. */
import { sentColumns } from '../../analyze/operations/sent-columns.js';
import type { ServiceView } from '../explain/service-view.js';
import { statementsOf } from './audited-statements.js';
import type { Risk } from './risk.js';

export function revealingCursors(view: ServiceView): Risk[] {
  const { analysis } = view;
  return statementsOf(view).flatMap(({ operation, step, statement }) => {
    const { written } = step.checked;
    const { order, page } = written;
    const analyzed = analysis.operations.find((one) => one.operation === operation.checked.operation);
    if (order === undefined || page?.after === undefined || analyzed === undefined) return [];
    const sent = sentColumns(analysis, analyzed, written);
    const ordered = analysis.ordersOf(order, statement).flatMap(({ columns }) => columns);
    const hidden = new Set(
      ordered
        .map(({ column }) => column)
        .filter((column) => sent.some(({ columns }) => columns !== 'all' && !columns.has(column))),
    );
    return [...hidden].map((column): Risk => {
      const columns = [...order.allow.flatMap(({ columns }) => columns), ...order.key];
      const span = columns.find(({ name }) => name === column)?.span ?? written.name.span;
      return {
        rule: 'revealing-cursor',
        severity: 'medium',
        span,
        message: `No response sends '${column}', but the cursors of '${written.name.value}' contain it: clients can read it, and order by any other value.`,
        hint: `Send '${column}' in the response, or order by a column that may be known. A list by page numbers has no cursors.`,
      };
    });
  });
}
