/** URLs of requests that cannot be used, whatever their values (decisions 6.2). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { partOf } from '../../../read/source.js';
import { rule } from '../rule.js';

export const wrongRequestUrl = rule(
  {
    'wrong-request-url': error((p: { problem: string; hint: string | undefined }) => ({
      message: `The URL of this request cannot be used: ${p.problem}.`,
      hint: p.hint,
    })),
  },
  ({ report }) => ({
    request: ({ url: written }, { url }) => {
      if (written === undefined || url === undefined || !('problem' in url) || url.problem.kind !== 'wrong')
        return;
      const { problem, hint, part } = url.problem;
      const span = part === undefined ? written.span : partOf(written.span, part);
      report('wrong-request-url', span, { problem, hint });
    },
  }),
);
