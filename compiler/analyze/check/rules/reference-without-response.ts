/** Reference calls of an operation without a response (decisions 7.6). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Span } from '../../../read/source.js';
import { rule } from '../rule.js';

export const referenceWithoutResponse = rule(
  {
    'reference-without-response': error((p: { name: string; hasResponses: boolean; call: Span }) => ({
      message: `Operation '${p.name}' is called, and has no default response.`,
      hint: p.hasResponses
        ? "Write 'default: true' in one of its responses."
        : 'Add responses: [{ name: done, default: true, statuscode: 200 }], even if no value of it is used.',
      related: [{ span: p.call, message: 'called here' }],
    })),
  },
  ({ analysis, report }) => ({
    fulfillment: (fulfillment) => {
      if (fulfillment.type !== 'REFERENCE') return;
      const { value: name, span: call } = fulfillment.operationName;
      const called = name === '' ? undefined : analysis.operation(name);
      // Endpoints, and operations that nothing starts, have an error of their own.
      if (called === undefined || called.endpoint !== undefined) return;
      const { fields, responses } = called;
      if (!fields.has('responses') && !fields.has('triggers')) return;
      if (responses.some((response) => response.default || !response.isDefaultKnown)) return;
      // All calls have one cause.
      report('reference-without-response', fields.get('responses') ?? called.name.span, {
        ...{ name, call },
        hasResponses: responses.length > 0,
      });
    },
  }),
);
