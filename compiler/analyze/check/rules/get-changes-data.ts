/** GET endpoints that do nothing but change data (RFC 9110, 9.2.1). One that also reads may count or log its calls. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { partOf } from '../../../read/source.js';
import { changesRows } from '../../../read/sql/facts/verb.js';
import { rule } from '../rule.js';

export const getChangesData = rule(
  {
    'get-changes-data': warning((p: { method: string; fulfillment: string }) => ({
      message: `A ${p.method} that changes data ('${p.fulfillment}'): caches and crawlers repeat it.`,
      hint: `Write POST, PUT or DELETE instead of ${p.method}.`,
    })),
  },
  ({ analysis, report, hasErrors }) => ({
    end: () => {
      if (hasErrors()) return;
      for (const operation of analysis.config.operations) {
        const method = operation.endpoint?.method;
        if (method !== 'GET' && method !== 'HEAD') continue;
        const called = analysis.withCalled(operation);
        const all = analysis.operations
          .flatMap((one) => (called.has(one.operation) ? one.fulfillments : []))
          .flatMap(({ fulfillment }) => ('datasource' in fulfillment ? [fulfillment] : []));
        const [first] = all;
        const isAllChanges = all.every(
          ({ type, instructions }) =>
            type === 'UPDATE' &&
            instructions.every(
              ({ action }) => action !== undefined && !('kind' in action) && changesRows(action.verb),
            ),
        );
        if (first !== undefined && isAllChanges)
          report(
            'get-changes-data',
            partOf(operation.name.span, operation.name.value.split(/\s/)[0] ?? method),
            { method, fulfillment: first.name.value },
          );
      }
    },
  }),
);
