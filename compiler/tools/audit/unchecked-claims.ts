/** Checks of tokens that the configuration switches off. */
import { checkedIdentifier, type Config } from '../../read/config/config-model.js';
import type { Span } from '../../read/source.js';
import type { Risk } from './risk.js';

export function uncheckedClaims({ authentications }: Config): Risk[] {
  return authentications.flatMap((authentication) => {
    if (authentication.type !== 'jwt') return [];
    const { issuer, audience, expiry } = authentication;
    const { value: name } = authentication.name;
    const risk = (span: Span, what: string, hint: string): Risk => ({
      ...{ rule: 'unchecked-claim', severity: 'medium', span, hint },
      message: `'${name}' accepts ${what}.`,
    });
    return [
      ...(issuer === undefined || checkedIdentifier(issuer) !== undefined
        ? []
        : [risk(issuer.span, 'tokens of any issuer that has its key', 'Write the issuer.')]),
      ...(audience === undefined || checkedIdentifier(audience) !== undefined
        ? []
        : [
            risk(
              audience.span,
              'tokens that its issuer has signed for other services',
              'Write the audience of this service.',
            ),
          ]),
      ...(expiry === undefined
        ? []
        : [
            risk(
              expiry.span,
              'tokens without an end, as long as its operation finds their caller',
              'Require an end: remove expiry.',
            ),
          ]),
    ];
  });
}
