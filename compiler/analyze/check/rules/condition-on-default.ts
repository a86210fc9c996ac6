/** A condition on the default response, which is used whenever no other is (decisions 7.8). */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const conditionOnDefault = rule(
  {
    'condition-on-default': warning((p: { name: string }) => ({
      message: `The 'if' of the default response '${p.name}' has no effect.`,
      hint: "Remove the 'if': the default is sent when no other response is.",
    })),
  },
  ({ report }) => ({
    operation: ({ responses }) => {
      const first = responses.find((response) => response.default);
      const condition = first?.fields.get('if');
      if (first !== undefined && condition !== undefined)
        report('condition-on-default', condition, { name: first.name.value });
    },
  }),
);
