/** Checks of tokens that a configuration switches off, and tokens that a service issues (docs/design/authentication.md#aut-13). */
import { checkedIdentifier } from '../../../read/config/config-model.js';
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Span } from '../../../read/source.js';
import { rule } from '../rule.js';

/** Reports checks of tokens that are switched off where another check would have to replace them. */
export const uncheckedToken = rule(
  {
    'unchecked-token': error(
      { field: 'word', name: 'text', reason: 'sentence', hint: 'sentence' },
      (p: { field: string; name: string; reason: string; hint: string }) => ({
        message: `'${p.field}: none' of authentication '${p.name}' is not possible: ${p.reason}.`,
        hint: p.hint,
      }),
    ),
  },
  ({ report }) => ({
    authentication: (authentication) => {
      if (authentication.type !== 'jwt') return;
      const { name, issuer, audience, jwks, expiry, operation, issue } = authentication;
      const unchecked = (
        [
          ['issuer', issuer],
          ['audience', audience],
        ] as const
      ).flatMap(([field, text]) =>
        text === undefined || checkedIdentifier(text) !== undefined ? [] : [{ field, span: text.span }],
      );
      for (const { field, span } of unchecked) {
        if (field === 'audience' && jwks !== undefined)
          report('unchecked-token', span, {
            ...{ field, name: name.value },
            reason: 'the issuer signs tokens for other services with the same keys',
            hint: "Write the audience of this service's tokens.",
          });
        else if (issue !== undefined)
          report('unchecked-token', span, {
            ...{ field, name: name.value },
            reason: "the tokens of 'issue' have to name it",
            hint: `Write the ${field}, such as ${field === 'issuer' ? 'https://api.example.com' : 'orders'}.`,
          });
      }
      if (expiry !== undefined && operation === undefined)
        report('unchecked-token', expiry.span, {
          ...{ field: 'expiry', name: name.value },
          reason: 'a stolen token would be valid forever',
          hint: "Remove 'expiry', or add an 'operation' that looks up whether the token is still valid.",
        });
    },
  }),
);

/** Claims that the service sets, or that would change for whom and when a token is valid. */
const reservedClaims = new Set(['sub', 'iss', 'aud', 'iat', 'nbf', 'exp', 'jti', 'authentication']);

/** Reports tokens that the service could not issue. */
export const issuedClaim = rule(
  {
    'issued-claim': error({ claim: 'text' }, (p: { claim: string; first: Span | undefined }) => ({
      message:
        p.first === undefined
          ? `The claim '${p.claim}' cannot be configured.`
          : `Duplicate claim '${p.claim}'.`,
      hint:
        p.claim === 'sub'
          ? "Remove it: every token has 'sub', from the object that TOKEN gets."
          : p.first === undefined
            ? 'Remove it: the service sets iss, aud, iat and exp, and tokens do not have the others.'
            : 'Remove one of the two.',
      related: p.first === undefined ? [] : [{ span: p.first, message: 'first named here' }],
    })),
    'issuing-key': error({ name: 'text' }, (p: { name: string; hasKeySet: boolean }) => ({
      message: `Authentication '${p.name}' has no key that signs tokens: ${p.hasKeySet ? "'jwks' are public keys" : "its 'key' is a public key"}.`,
      hint: "Add 'key' to 'issue': key: ${SIGNING_KEY}.",
    })),
  },
  ({ report }) => ({
    authentication: (authentication) => {
      if (authentication.type !== 'jwt' || authentication.issue === undefined) return;
      const { name, issue, key, jwks } = authentication;
      const seen = new Map<string, Span>();
      for (const { value, span } of issue.claims) {
        const first = seen.get(value);
        if (reservedClaims.has(value) || first !== undefined)
          report('issued-claim', span, {
            claim: value,
            first: reservedClaims.has(value) ? undefined : first,
          });
        seen.set(value, span);
      }
      const isPublic = key?.value.includes('-----BEGIN ') === true;
      if (issue.keys.length === 0 && (isPublic || jwks !== undefined))
        report('issuing-key', issue.span, { name: name.value, hasKeySet: jwks !== undefined });
    },
  }),
);
