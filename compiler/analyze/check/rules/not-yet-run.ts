/** Expressions that read a fulfillment which has not run yet. */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Span } from '../../../read/source.js';
import { rule } from '../rule.js';

export const notYetRun = rule(
  {
    'not-yet-run': error((p: { name: string; runs: Span; reader: string | undefined }) => ({
      message: `Fulfillment '${p.name}' has not run yet here.`,
      hint:
        p.reader === undefined
          ? `Move '${p.name}' before the first expression that reads it.`
          : `Move '${p.name}' before '${p.reader}', which reads it.`,
      related: [{ span: p.runs, message: 'it runs here' }],
    })),
  },
  ({ report }) => ({
    unreadable: (read) => {
      if (read.why === 'not yet run') report('not-yet-run', read.span, read);
    },
  }),
);
