/** An authentication that an operation names a second time. */
import { warning } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const authenticationTwice = rule(
  {
    'authentication-twice': warning((p: { name: string }) => ({
      message: `The authentication '${p.name}' is named twice here.`,
      hint: 'Once is enough.',
    })),
  },
  ({ analysis, report }) => {
    const known = new Set(analysis.config.authentications.map(({ name }) => name.value));
    return {
      operation: ({ authentications = [] }) => {
        const seen = new Set<string>();
        for (const { value, place } of authentications) {
          if (seen.has(value) && known.has(value)) report('authentication-twice', place, { name: value });
          seen.add(value);
        }
      },
    };
  },
);
