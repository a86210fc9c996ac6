/** `index` where there are no iterations to tell apart (specification, Loop). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const indexOutsideLoop = rule(
  {
    'index-outside-loop': error(() => ({
      message: "'index' is only allowed inside a loop.",
      hint: "Remove 'index', and read the result with VALUE.",
    })),
  },
  ({ report }) => ({
    fulfillment: ({ type, fields }, { loop }) => {
      const place = fields.get('index');
      if (type !== 'LOOP' && loop === undefined && place !== undefined) report('index-outside-loop', place);
    },
  }),
);
