/** `transaction: true` where there is nothing to keep together (decisions 5.10). */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const uselessTransaction = rule(
  {
    'useless-transaction': warning((p: { reason: string }) => ({
      message: `This transaction has no effect: ${p.reason}.`,
      hint: "Remove 'transaction: true'.",
    })),
  },
  ({ analysis, report, hasErrors }) => ({
    end: () => {
      if (hasErrors()) return;
      for (const operation of analysis.config.operations) {
        const span = operation.fields.get('transaction');
        if (!operation.transaction || span === undefined) continue;
        const called = analysis.withCalled(operation);
        const all = analysis.operations.flatMap((one) => (called.has(one.operation) ? one.fulfillments : []));
        const ofDatabases = all.filter(
          ({ fulfillment }) =>
            'datasource' in fulfillment && analysis.datasource(fulfillment.datasource.value)?.type === 'db',
        );
        const [first, second] = ofDatabases;
        if (first === undefined) {
          report('useless-transaction', span, { reason: 'no fulfillment uses a database' });
        } else if (second === undefined && first.loop === undefined && called.size === 1) {
          const { fulfillment } = first;
          const isRead =
            fulfillment.type === 'READ' &&
            fulfillment.instructions.every(
              ({ action }) => action !== undefined && !('kind' in action) && analysis.isRetryable(action),
            );
          const name = fulfillment.name.value;
          if (isRead)
            report('useless-transaction', span, { reason: `'${name}' is one statement that only reads` });
        }
      }
    },
  }),
);
