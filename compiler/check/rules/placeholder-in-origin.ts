/** Values that would choose the host of a request (decisions 6.1). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const placeholderInOrigin = rule(
  {
    'placeholder-in-origin': error(() => ({
      message:
        'A placeholder cannot stand in the scheme, host or port of a URL: whoever sends the request would choose whom this service calls.',
      hint: 'Write scheme, host and port as they are; values may stand in the path and in the query.',
    })),
  },
  ({ report }) => ({
    request: ({ url: written }, { url }) => {
      if (written !== undefined && url !== undefined && 'problem' in url && url.problem.kind === 'origin')
        report('placeholder-in-origin', written.place);
    },
  }),
);
