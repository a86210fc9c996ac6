/** A condition on the default response, which is used whenever no other is (decisions 7.8). */
import { warning } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const conditionOnDefault = rule(
  {
    'condition-on-default': warning((p: { name: string }) => ({
      message: `The default response '${p.name}' is used whenever no other is; its 'if' has no effect.`,
      hint: "Take the 'if' away.",
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
