/** Expressions that read a fulfillment of a loop that they are inside of. */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const outsideLoop = rule(
  {
    'outside-loop': error((p: { name: string; loop: string }) => ({
      message: `The result of '${p.name}' is not available outside of the loop '${p.loop}'.`,
      hint: `Give '${p.name}' an 'index' and read it with VALUE_BY_INDEX(${p.name}, <index>, $).`,
    })),
  },
  ({ report }) => ({
    unreadable: (read) => {
      if (read.why === 'outside loop')
        report('outside-loop', read.span, { name: read.name, loop: read.loop });
    },
  }),
);
