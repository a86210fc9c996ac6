/** `index` on a LOOP, which has no result (decisions 3.8). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const indexOfLoop = rule(
  {
    'index-of-loop': error(() => ({
      message: "'index' stores the result of a fulfillment, and a LOOP has none.",
      hint: "Put 'index' on the fulfillment inside the loop whose result is to be read later.",
    })),
  },
  ({ report }) => ({
    fulfillment: ({ type, fields }) => {
      const place = fields.get('index');
      if (type === 'LOOP' && place !== undefined) report('index-of-loop', place);
    },
  }),
);
