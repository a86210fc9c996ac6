/** Names of fulfillments that mean something else in Syntax B. */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { isReservedName } from '../../../read/expression/fulfillment-name.js';
import { rule } from '../rule.js';

export const reservedName = rule(
  {
    'reserved-name': error((p: { name: string }) => ({
      message: `'${p.name}' is reserved in Syntax B.`,
      hint: `Write another name, such as '${p.name}_rows'.`,
    })),
  },
  ({ report }) => ({
    fulfillment: ({ name: { value: name, span } }, { operation }) => {
      if (isReservedName(name, operation.syntax)) report('reserved-name', span, { name });
    },
  }),
);
