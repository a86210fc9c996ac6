/** Two authentications with the same user and password. The same user with two passwords may be a change of password. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { WithSpan, Span } from '../../../read/source.js';
import { rule } from '../rule.js';

export const sameAccount = rule(
  {
    'same-account': warning((p: { name: string; first: Span }) => ({
      message: `Same user and password as authentication '${p.name}'.`,
      hint: 'Give it another user, or remove one of the two.',
      related: [{ span: p.first, message: 'the same account' }],
    })),
  },
  ({ report }) => {
    const seen = new Map<string, WithSpan<string>>();
    return {
      authentication: ({ name, user, password }) => {
        if (user === undefined || password === undefined) return;
        const key = JSON.stringify([user.value, password.value]);
        const other = seen.get(key);
        if (other !== undefined) report('same-account', user.span, { name: other.value, first: other.span });
        else seen.set(key, name);
      },
    };
  },
);
