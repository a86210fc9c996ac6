/** The fields of authentications that are settings of the service. */
import type { Authentication } from '../../../read/config/config-model.js';
import type { ScalarText } from '../../../read/source.js';
import { upperSnake } from '../../../../runtime/server/environment-reference.js';

export interface AuthenticationSetting {
  /** The end of its variable: `PASSWORD_HASH`. */
  readonly suffix: string;
  /** What it is, for people. */
  readonly what: string;
  readonly text: ScalarText | undefined;
  /** How examples show the value: not at all, as it is, or without the secrets of a URL; an issuer may be a URL. */
  readonly shown: 'not' | 'whole' | 'url' | 'issuer';
}

export function settingsOfAuthentication(authentication: Authentication): AuthenticationSetting[] {
  const hidden = (suffix: string, what: string, text: ScalarText | undefined): AuthenticationSetting => ({
    ...{ suffix, what, text, shown: 'not' },
  });
  switch (authentication.type) {
    case 'basicauth': {
      const { user, password, passwordHash } = authentication;
      return [
        hidden('USER', 'user', user),
        hidden('PASSWORD', 'password', password),
        hidden('PASSWORD_HASH', 'hash of the password', passwordHash),
      ];
    }
    case 'jwt': {
      const { issuer, audience, jwks, key } = authentication;
      return [
        { suffix: 'ISSUER', what: 'issuer', text: issuer, shown: 'issuer' },
        { suffix: 'AUDIENCE', what: 'audience', text: audience, shown: 'whole' },
        { suffix: 'JWKS', what: 'jwks', text: jwks, shown: 'url' },
        hidden('KEY', 'key', key),
      ];
    }
    case 'apikey':
      return authentication.keys.map(({ name, value }) =>
        hidden(`KEY_${upperSnake(name.value)}`, `key '${name.value}'`, value),
      );
    case 'signature':
      return authentication.secrets.map((secret, index) =>
        hidden(`SECRET${index === 0 ? '' : `_${index + 1}`}`, 'secret', secret),
      );
    case 'custom':
    case undefined:
      return [];
  }
}
