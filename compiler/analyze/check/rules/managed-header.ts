/** Headers that describe the connection, or the body that is sent (decisions 6.3). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const managedHeader = rule(
  {
    'managed-header': error((p: { name: string }) => ({
      message: `The header '${p.name}' is set automatically.`,
      hint: 'Remove it.',
    })),
  },
  ({ report }) => ({
    header: ({ problem, name }) => {
      if (problem === 'managed') report('managed-header', name.span, { name: name.value });
    },
  }),
);
