/** Names of fulfillments that expressions could not read. */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { isReadableName } from '../../../read/expression/fulfillment-name.js';
import { rule } from '../rule.js';

export const unnamedFulfillment = rule(
  {
    'unnamed-fulfillment': error((p: { name: string }) => ({
      message: `Invalid fulfillment name '${p.name}': expressions cannot read it.`,
      hint: "Use letters, digits, '_' and '-', beginning with a letter.",
    })),
  },
  ({ report }) => ({
    fulfillment: ({ name: { value: name, span } }, { operation }) => {
      if (name !== '' && !isReadableName(name, operation.syntax))
        report('unnamed-fulfillment', span, { name });
    },
  }),
);
