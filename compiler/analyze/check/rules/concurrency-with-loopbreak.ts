/** `concurrency` of a loop that something stops (decisions 7.5). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const concurrencyWithLoopbreak = rule(
  {
    'concurrency-with-loopbreak': error(() => ({
      message:
        "A loop with 'loopbreak' runs one iteration after the other: 'concurrency' cannot be used with it.",
      hint: "Remove 'concurrency'. If every iteration is to run, remove 'loopbreak' instead.",
    })),
  },
  ({ report }) => ({
    fulfillment: (loop) => {
      const span = loop.fields.get('concurrency');
      if (loop.type !== 'LOOP' || span === undefined || loop.concurrency <= 1) return;
      const breaks = loop.fulfillments.some(
        (inside) => inside.type !== 'LOOP' && inside.loopbreak.length > 0,
      );
      if (loop.fields.has('loopbreak') || breaks) report('concurrency-with-loopbreak', span);
    },
  }),
);
