/** Two authentications with the same user and password. The same user with two passwords may be a change of password. */
import { warning } from '../../diagnostics/catalogue/entry-messages.js';
import type { Located, Place } from '../../source.js';
import { rule } from '../rule.js';

export const sameAccount = rule(
  {
    'same-account': warning((p: { name: string; first: Place }) => ({
      message: `Same user and password as authentication '${p.name}'.`,
      hint: 'Give it another user, or remove one of the two.',
      related: [{ place: p.first, message: 'the same account' }],
    })),
  },
  ({ report }) => {
    const seen = new Map<string, Located<string>>();
    return {
      authentication: ({ name, user, password }) => {
        if (user === undefined || password === undefined) return;
        const key = JSON.stringify([user.value, password.value]);
        const other = seen.get(key);
        if (other !== undefined)
          report('same-account', user.place, { name: other.value, first: other.place });
        else seen.set(key, name);
      },
    };
  },
);
