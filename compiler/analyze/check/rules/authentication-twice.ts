/** An authentication that an operation names a second time. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Span } from '../../../read/source.js';
import { rule } from '../rule.js';

export const authenticationTwice = rule(
  {
    'authentication-twice': warning((p: { name: string; first: Span }) => ({
      message: `Duplicate authentication '${p.name}'.`,
      hint: 'Remove one of the two.',
      related: [{ span: p.first, message: 'first named here' }],
    })),
  },
  ({ analysis, report }) => {
    const known = new Set(analysis.config.authentications.map(({ name }) => name.value));
    return {
      operation: ({ authentications = [] }) => {
        const seen = new Map<string, Span>();
        for (const { value, span } of authentications) {
          const first = seen.get(value);
          if (first === undefined) seen.set(value, span);
          else if (known.has(value)) report('authentication-twice', span, { name: value, first });
        }
      },
    };
  },
);
