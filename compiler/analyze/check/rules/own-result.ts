/** Fulfillments that read their own result before there is one. */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const ownResult = rule(
  {
    'own-result': error((p: { name: string }) => ({
      message: `Fulfillment '${p.name}' reads its own result before it has run.`,
      hint: 'Read a parameter or the result of an earlier fulfillment here; or read this result in its exceptions, in a later fulfillment or in a response.',
    })),
  },
  ({ report }) => ({
    unreadable: (read) => {
      if (read.why === 'own result') report('own-result', read.span, { name: read.name });
    },
  }),
);
