/** Diagnostics of authentications: names, and the accounts themselves. */
import { error, warning } from './entry-messages.js';

export const authenticationEntries = {
  'unknown-authentication': error(
    (p: { name: string; nearest: string | undefined; names: readonly string[] }) => ({
      message: `There is no authentication '${p.name}'.`,
      hint:
        p.nearest !== undefined
          ? `Did you mean '${p.nearest}'?`
          : `Add it to the section 'authentications'${p.names.length === 0 ? '' : `, which has ${p.names.map((name) => `'${name}'`).join(', ')}`}.`,
      instead: p.nearest,
    }),
  ),
  'authentication-twice': warning((p: { name: string }) => ({
    message: `The authentication '${p.name}' is named twice here.`,
    hint: 'Once is enough.',
  })),
  'authentications-without-endpoint': warning((p: { name: string }) => ({
    message: `No request reaches operation '${p.name}', so nobody is asked for credentials: timed operations and reference calls need none.`,
    hint: "Take 'authentications' away here; an operation that calls this one has its own.",
  })),
  'unused-authentication': warning((p: { name: string }) => ({
    message: `No operation takes the authentication '${p.name}': whoever has this account cannot call anything with it.`,
    hint: "Name it under 'authentications' of an operation, or take it away.",
  })),
  'wrong-credential': error((p: { field: string; name: string; problem: string }) => ({
    message: `The ${p.field} of authentication '${p.name}' ${p.problem}.`,
    hint:
      p.field === 'user'
        ? "A user may be any text without colons and control characters, also a reference such as '${ADMIN_USER}'."
        : "A password may be any text without control characters, also a reference such as '${ADMIN_PASSWORD}'.",
  })),
};
