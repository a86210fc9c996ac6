/** The fields of datasources and authentications that are settings of the service. */
import {
  asThirdParty,
  checkedIdentifier,
  headersOf,
  type Authentication,
  type Datasource,
} from '../../read/config/config-model.js';
import type { ScalarText } from '../../read/source.js';
import { upperSnake } from '../../../runtime/server/environment-reference.js';

export interface ResourceSetting {
  /** The suffix of its environment variable: `PASSWORD_HASH`. */
  readonly suffix: string;
  /** A description for people. */
  readonly what: string;
  readonly text: ScalarText | undefined;
  /**
   * How examples display the value: not at all, unchanged, or as a URL without secrets. A third party's URL path may be secret, a
   * database's path is its name, and an issuer may be a URL.
   */
  readonly shown: 'not' | 'whole' | 'url' | 'database' | 'third party' | 'issuer';
}

/** Includes login fields even if the configuration does not contain them. */
export function settingsOfDatasource(datasource: Datasource): ResourceSetting[] {
  const { dialect, url, user, password } = datasource;
  const { oauth2, signature } = asThirdParty(datasource) ?? {};
  const ofLogin = (
    field: string,
    text: ScalarText | undefined,
    shown: ResourceSetting['shown'] = 'not',
  ): ResourceSetting => ({ suffix: `OAUTH2_${upperSnake(field)}`, what: `oauth2.${field}`, text, shown });
  return [
    { suffix: 'URL', what: 'url', text: url, shown: dialect === undefined ? 'third party' : 'database' },
    hidden('USER', 'user', user),
    hidden('PASSWORD', 'password', password),
    ...headersOf(datasource).map(({ name, value }) =>
      hidden(`HEADER_${upperSnake(name.value)}`, `header '${name.value}'`, value),
    ),
    ...(oauth2 === undefined
      ? []
      : [
          ofLogin('tokenUrl', oauth2.tokenUrl, 'url'),
          ofLogin('clientId', oauth2.clientId),
          ofLogin('clientSecret', oauth2.clientSecret),
          ofLogin('scope', oauth2.scope, 'whole'),
          ...oauth2.parameters.map(({ name, value }) => ofLogin(`parameters.${name.value}`, value)),
        ]),
    ...(datasource.type === 'smtp'
      ? [{ suffix: 'FROM', what: 'from', text: datasource.from, shown: 'whole' } as const]
      : []),
    hidden('SIGNATURE_SECRET', 'secret of the signature', signature?.secret),
  ];
}

function hidden(suffix: string, what: string, text: ScalarText | undefined): ResourceSetting {
  return { suffix, what, text, shown: 'not' };
}

/** The settings with second values of secrets, which a service reads while a secret is replaced (runtime/server/checked-setting.ts). */
export function secondSettingsOf(authentication: Authentication): string[] {
  return settingsOfAuthentication(authentication)
    .filter(
      ({ text, suffix }) =>
        text !== undefined && /^(?:PASSWORD|PASSWORD_HASH|KEY|KEY_.*|SECRET|ISSUE_KEY)$/.test(suffix),
    )
    .map(({ suffix }) => `${suffix}_2`);
}

/** The suffix of an item of a list: `SECRET`, `SECRET_2`. */
function numbered(suffix: string, index: number): string {
  return index === 0 ? suffix : `${suffix}_${index + 1}`;
}

export function settingsOfAuthentication(authentication: Authentication): ResourceSetting[] {
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
      const { issuer, audience, jwks, key, issue } = authentication;
      return [
        { suffix: 'ISSUER', what: 'issuer', text: checkedIdentifier(issuer), shown: 'issuer' },
        { suffix: 'AUDIENCE', what: 'audience', text: checkedIdentifier(audience), shown: 'whole' },
        { suffix: 'JWKS', what: 'jwks', text: jwks, shown: 'url' },
        hidden('KEY', 'key', key),
        ...(issue?.keys ?? []).map((signing, index) =>
          hidden(numbered('ISSUE_KEY', index), 'key that signs tokens', signing),
        ),
      ];
    }
    case 'apikey':
      return authentication.keys.map(({ name, value }) =>
        hidden(`KEY_${upperSnake(name.value)}`, `key '${name.value}'`, value),
      );
    case 'signature':
      return authentication.secrets.map((secret, index) =>
        hidden(numbered('SECRET', index), 'secret', secret),
      );
    case 'custom':
    case undefined:
      return [];
  }
}
