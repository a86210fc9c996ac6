/** Users and passwords that HTTP Basic cannot carry, as far as they are written in the configuration (RFC 7617). */
import { problemOfCredential } from '../../../../runtime/authentication/basic-credential.js';
import { replaceReferences } from '../../../../runtime/server/environment-reference.js';
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const wrongCredential = rule(
  {
    'wrong-credential': error((p: { field: string; name: string; problem: string }) => ({
      message: `The ${p.field} of authentication '${p.name}' ${p.problem}.`,
      hint:
        p.field === 'user'
          ? "Use any string without colons and control characters, or a reference such as '${ADMIN_USER}'."
          : "Use any string without control characters, or a reference such as '${ADMIN_PASSWORD}'.",
    })),
  },
  ({ report }) => ({
    authentication: ({ name, ...account }) => {
      for (const field of ['user', 'password'] as const) {
        const text = account[field];
        if (text === undefined) continue;
        const written = replaceReferences(text.value, () => '');
        // What a reference brings is looked at when the service starts.
        const problem = written === '' && text.value !== '' ? undefined : problemOfCredential(field, written);
        if (problem !== undefined)
          report('wrong-credential', text.span, { field, name: name.value, problem });
      }
    },
  }),
);
