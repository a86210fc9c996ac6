/** `loopbreak` without a loop to stop (specification, Loop). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const loopbreakOutsideLoop = rule(
  {
    'loopbreak-outside-loop': error(() => ({
      message: "'loopbreak' is only allowed inside a loop or on a LOOP.",
      hint: 'Move it to a fulfillment inside a LOOP, or to the LOOP itself.',
    })),
  },
  ({ report }) => ({
    fulfillment: ({ type, fields }, { loop }) => {
      const span = fields.get('loopbreak');
      if (type !== 'LOOP' && loop === undefined && span !== undefined) report('loopbreak-outside-loop', span);
    },
  }),
);
