/** Operations that neither a request, a trigger nor a reference call starts. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const operationNeverCalled = rule(
  {
    'operation-never-called': warning((p: { name: string }) => ({
      message: `Nothing starts or calls the operation '${p.name}'.`,
      hint: "Name it like an endpoint ('GET /path'), give it a trigger, or call it with a fulfillment of type reference.",
    })),
  },
  ({ analysis, report, hasErrors }) => ({
    end: () => {
      if (hasErrors()) return;
      for (const { name, endpoint, triggers } of analysis.config.operations) {
        const isStarted = endpoint !== undefined || triggers.length > 0 || analysis.called.has(name.value);
        if (!isStarted) report('operation-never-called', name.span, { name: name.value });
      }
    },
  }),
);
