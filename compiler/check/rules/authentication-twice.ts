/** An authentication that an operation names a second time. */
import { warning } from '../../diagnostics/catalogue/entry-messages.js';
import type { Place } from '../../source.js';
import { rule } from '../rule.js';

export const authenticationTwice = rule(
  {
    'authentication-twice': warning((p: { name: string; first: Place }) => ({
      message: `Duplicate authentication '${p.name}'.`,
      hint: 'Remove one of the two.',
      related: [{ place: p.first, message: 'first named here' }],
    })),
  },
  ({ analysis, report }) => {
    const known = new Set(analysis.config.authentications.map(({ name }) => name.value));
    return {
      operation: ({ authentications = [] }) => {
        const seen = new Map<string, Place>();
        for (const { value, place } of authentications) {
          const first = seen.get(value);
          if (first === undefined) seen.set(value, place);
          else if (known.has(value)) report('authentication-twice', place, { name: value, first });
        }
      },
    };
  },
);
