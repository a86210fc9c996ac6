/** Names of fulfillments that mean something else in Syntax B. */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const reservedName = rule(
  {
    'reserved-name': error((p: { name: string }) => ({
      message: `'${p.name}' is reserved in Syntax B.`,
      hint: `Write another name, such as '${p.name}_rows'.`,
    })),
  },
  ({ report }) => ({
    fulfillment: ({ name: { value: name, place } }, { operation }) => {
      if (operation.syntax === 'B' && reserved.test(name)) report('reserved-name', place, { name });
    },
  }),
);

const reserved = /^(?:param|body|null|true|false)$/;
