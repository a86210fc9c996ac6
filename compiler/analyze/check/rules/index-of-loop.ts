/** `index` on a LOOP, which has no result (decisions 3.8). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const indexOfLoop = rule(
  {
    'index-of-loop': error(() => ({
      message: "'index' is not allowed on a LOOP: it has no result.",
      hint: "Move 'index' to the fulfillment inside the loop whose result you read later.",
    })),
  },
  ({ report }) => ({
    fulfillment: ({ type, fields }) => {
      const span = fields.get('index');
      if (type === 'LOOP' && span !== undefined) report('index-of-loop', span);
    },
  }),
);
