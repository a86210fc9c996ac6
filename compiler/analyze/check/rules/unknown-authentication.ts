/** Operations that name an authentication which is not there (decisions 9.4). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { isUnambiguous, nearest } from '../../../read/diagnostics/suggest.js';
import { rule } from '../rule.js';

export const unknownAuthentication = rule(
  {
    'unknown-authentication': error(
      (p: { name: string; nearest: string | undefined; names: readonly string[] }) => ({
        message: `Unknown authentication '${p.name}'.`,
        hint:
          p.name.trim() === ''
            ? 'Write the name of an authentication; or [] for an operation without credentials.'
            : p.nearest !== undefined
              ? `Did you mean '${p.nearest}'?`
              : `Add it to the section 'authentications'${p.names.length === 0 ? '' : `, which has ${p.names.map((name) => `'${name}'`).join(', ')}`}.`,
        instead: p.nearest,
        isSuggestion: !isUnambiguous(p.name, p.names),
        subject: p.name,
      }),
    ),
  },
  ({ analysis, report }) => {
    const known = new Set(analysis.config.authentications.map(({ name }) => name.value));
    return {
      operation: ({ authentications = [] }) => {
        for (const { value, span } of authentications) {
          if (known.has(value)) continue;
          report('unknown-authentication', span, {
            name: value,
            nearest: nearest(value, known),
            names: [...known],
          });
        }
      },
    };
  },
);
