/** Reference calls of an operation without a response (decisions 7.6). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const referenceWithoutResponse = rule(
  {
    'reference-without-response': error((p: { name: string }) => ({
      message: `The called operation '${p.name}' has no default response.`,
      hint: `Give '${p.name}' a response with 'default: true'.`,
    })),
  },
  ({ analysis, report }) => ({
    fulfillment: (fulfillment) => {
      if (fulfillment.type !== 'REFERENCE') return;
      const { value: name, span } = fulfillment.operationName;
      const called = name === '' ? undefined : analysis.operation(name);
      if (called !== undefined && !called.responses.some((response) => response.default))
        report('reference-without-response', span, { name });
    },
  }),
);
