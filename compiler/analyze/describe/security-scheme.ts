/** Converts authentications to the security schemes and requirements of API descriptions. */
import { cookieOf, acceptedBy } from '../operations/authentications/accepted.js';
import type { Authentication, Config, Operation, SignatureScheme } from '../../read/config/config-model.js';
import type { JsonMap } from '../../read/json.js';

/** The headers that contain webhook signatures. */
const signatureHeaders: Readonly<Record<SignatureScheme, string>> = {
  github: 'X-Hub-Signature-256',
  stripe: 'Stripe-Signature',
  slack: 'X-Slack-Signature',
  'standard-webhooks': 'webhook-signature',
};

/** The headers that a signature covers, without which it is refused. */
const coveredHeaders: Readonly<Partial<Record<SignatureScheme, readonly string[]>>> = {
  slack: ['X-Slack-Request-Timestamp'],
  'standard-webhooks': ['webhook-id', 'webhook-timestamp'],
};

/** The headers that a request needs in addition to that of its scheme. OpenAPI has a scheme for each header. */
export function otherHeaders(authentication: Authentication): readonly string[] {
  const scheme = authentication.type === 'signature' ? authentication.scheme?.value : undefined;
  return (scheme && coveredHeaders[scheme]) ?? [];
}

/** All schemes of an authentication by their names, the main one first. `name` is free, as are names that begin with it and a point. */
export function namedSchemes(name: string, authentication: Authentication): [string, JsonMap][] {
  return [
    [name, securityScheme(authentication)],
    ...otherHeaders(authentication).map((header): [string, JsonMap] => [
      `${name}.${header}`,
      { type: 'apiKey', in: 'header', name: header },
    ]),
  ];
}

export function securityScheme(authentication: Authentication): JsonMap {
  const cookie = cookieOf(authentication);
  if (cookie !== undefined) return { type: 'apiKey', in: 'cookie', name: cookie.value };
  switch (authentication.type) {
    case 'jwt': {
      const word = authentication.scheme?.value.toLowerCase() ?? 'bearer';
      return { type: 'http', scheme: word, ...(word === 'bearer' ? { bearerFormat: 'JWT' } : {}) };
    }
    case 'apikey': {
      const { query, header, scheme } = authentication;
      if (scheme !== undefined) return { type: 'http', scheme: scheme.value.toLowerCase() };
      return query === undefined
        ? { type: 'apiKey', in: 'header', name: header?.value ?? '' }
        : { type: 'apiKey', in: 'query', name: query.value };
    }
    case 'signature': {
      const { scheme } = authentication;
      return { type: 'apiKey', in: 'header', name: scheme ? signatureHeaders[scheme.value] : '' };
    }
    case 'custom':
      return { type: 'http', scheme: 'custom' };
    case 'basicauth':
    case undefined:
      return { type: 'http', scheme: 'basic' };
  }
}

/** The parameters that contain credentials, as place and name in lower case: `header x-api-key`. */
export function credentialParameters({ authentications }: Config): ReadonlySet<string> {
  return new Set(
    authentications.flatMap((authentication) => {
      const { type, in: place, name } = securityScheme(authentication);
      const own = type === 'apiKey' ? [`${String(place)} ${String(name).toLowerCase()}`] : [];
      return [...own, ...otherHeaders(authentication).map((header) => `header ${header.toLowerCase()}`)];
    }),
  );
}

/** One alternative per accepted authentication. `names` maps authentications to schemes. */
export function securityOf(
  operation: Pick<Operation, 'authentications'>,
  config: Config,
  names: ReadonlyMap<string, string>,
): JsonMap[] {
  const accepted = acceptedBy(operation, config) ?? [];
  const isOptional = accepted.some((one) => one.isOptional);
  return [
    ...accepted.map(({ value, scopes }) => {
      const name = names.get(value) ?? value;
      const authentication = config.authentications.find((one) => one.name.value === value);
      const others = authentication === undefined ? [] : otherHeaders(authentication);
      return {
        [name]: scopes.map((scope) => scope.value),
        ...Object.fromEntries(others.map((header) => [`${name}.${header}`, []])),
      };
    }),
    ...(isOptional ? [{}] : []),
  ];
}
