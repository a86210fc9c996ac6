/** READs of rows that nothing reads, where running the statement has no other effect. */
import type { DataFulfillment, Fulfillment } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import { rule } from '../rule.js';

export const unreadResult = rule(
  {
    'unread-result': warning((p: { name: string }) => ({
      message: `The result of '${p.name}' is never read.`,
      hint: `Read it in a condition, a later fulfillment or a response, or remove '${p.name}'.`,
    })),
  },
  ({ report, hasErrors }) => {
    const read = new Set<Fulfillment>();
    const unread = new Set<DataFulfillment>();
    return {
      node: (node, { scope }) => {
        if (node.kind !== 'value' && node.kind !== 'result' && node.kind !== 'status') return;
        const fulfillment = scope.visible.get(node.name);
        if (fulfillment !== undefined) read.add(fulfillment);
      },
      fulfillment: (fulfillment, { analyzed }) => {
        if (fulfillment.type !== 'READ' || fulfillment.fields.has('index') || !onlyReads(fulfillment)) return;
        const isJoined = analyzed.joins.distinct.some(({ left, right }) =>
          [left.fulfillment, right.fulfillment].includes(fulfillment.name.value),
        );
        if (!isJoined && fulfillment.join.length === 0) unread.add(fulfillment);
      },
      end: () => {
        // What could not be read may be what reads it.
        if (hasErrors()) return;
        for (const fulfillment of unread) {
          const { name } = fulfillment;
          if (!read.has(fulfillment)) report('unread-result', name.span, { name: name.value });
        }
      },
    };
  },
);

/** Whether it can only return rows, without side effects. An operation without data needs a READ too: `SELECT 1`, or of a constant. */
function onlyReads({ instructions }: DataFulfillment): boolean {
  return (
    instructions.length > 0 &&
    instructions.every(
      ({ action }) => action !== undefined && !('kind' in action) && action.retry && readsTable(action),
    )
  );
}

function readsTable({ pieces: { bounds } }: SqlStatement): boolean {
  const { items } = bounds;
  const from = items.findIndex(({ word }) => word === 'FROM');
  const isOfConstants = items.slice(1, from).every(({ token, word }) => {
    return token.kind === 'number' || token.kind === 'literal' || word === ',';
  });
  return from !== -1 && items[from + 1]?.word !== 'DUAL' && !isOfConstants;
}
