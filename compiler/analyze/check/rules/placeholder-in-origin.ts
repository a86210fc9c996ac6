/** Values that would choose the host of a request (decisions 6.1). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const placeholderInOrigin = rule(
  {
    'placeholder-in-origin': error(() => ({
      message: 'Placeholder in the scheme, host or port of a URL: the request would choose the server.',
      hint: 'Write scheme, host and port as constants. Values are allowed in the path and the query.',
    })),
  },
  ({ report }) => ({
    request: ({ url: written }, { url }) => {
      if (written !== undefined && url !== undefined && 'problem' in url && url.problem.kind === 'origin')
        report(
          'placeholder-in-origin',
          written.value.find((part) => typeof part !== 'string')?.span ?? written.span,
        );
    },
  }),
);
