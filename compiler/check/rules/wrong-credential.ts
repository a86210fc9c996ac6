/** Users and passwords that HTTP Basic cannot carry, as far as they are written in the configuration (RFC 7617). */
import { problemOfCredential } from '../../../runtime/authentication/basic-credential.js';
import type { Rule } from '../rule.js';

const reference = /\$\{[A-Za-z_][A-Za-z0-9_]*(?::[^{}$]*)?\}/g;

export const wrongCredential: Rule = ({ authentications }, report) => {
  for (const { name, ...account } of authentications) {
    for (const field of ['user', 'password'] as const) {
      const text = account[field];
      if (text === undefined) continue;
      const written = text.value.replaceAll(reference, '');
      // What a reference brings is looked at when the service starts.
      const problem = written === '' && text.value !== '' ? undefined : problemOfCredential(field, written);
      if (problem !== undefined)
        report.add('wrong-credential', text.place, { field, name: name.value, problem });
    }
  }
};
