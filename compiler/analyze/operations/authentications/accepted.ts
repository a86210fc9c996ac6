/** The authentications that an operation accepts: those that it names, otherwise the defaults (docs/design/authentication.md#aut-3.4). */
import type {
  AcceptedAuthentication,
  Authentication,
  AuthenticationType,
  Config,
  Operation,
} from '../../../read/config/config-model.js';
import type { WithSpan } from '../../../read/source.js';

/** Empty for an operation that is open; undefined where it has to name them, which a rule reports. */
export function acceptedBy(
  { authentications: named }: Pick<Operation, 'authentications'>,
  { authentications: all }: Pick<Config, 'authentications'>,
): readonly AcceptedAuthentication[] | undefined {
  if (named !== undefined) return named;
  return all.length === 0 ? [] : acceptedByDefault(all)?.map(asAccepted);
}

/** A signature is never accepted without being named; of several types, only those with `default: true` are. */
function acceptedByDefault(all: readonly Authentication[]): readonly Authentication[] | undefined {
  const others = all.filter(({ type }) => type !== 'signature');
  const types = new Set(others.map(({ type }) => type));
  // A type that is unknown has been reported.
  const isOne = types.size <= 1 || types.has(undefined);
  const accepted = isOne ? others : others.filter((one) => one.default);
  return accepted.length === 0 ? undefined : accepted;
}

function asAccepted({ name }: Authentication): AcceptedAuthentication {
  return { ...name, scopes: [], isOptional: false };
}

const isOfBrowsers: Readonly<Record<AuthenticationType, boolean>> = {
  basicauth: true,
  jwt: false,
  apikey: false,
  signature: false,
  custom: true,
};

/**
 * Whether a browser may add the credentials to a request of any page by itself; true for `custom`, whose credentials are unknown. Cookies
 * are a place, not a type.
 */
export function isSentByBrowsers(type: AuthenticationType | undefined): boolean {
  return type !== undefined && isOfBrowsers[type];
}

/** The cookie that may hold the credentials. */
export function cookieOf(authentication: Authentication): WithSpan<string> | undefined {
  switch (authentication.type) {
    case 'jwt':
    case 'apikey':
      return authentication.cookie;
    case 'basicauth':
    case 'signature':
    case 'custom':
    case undefined:
      return undefined;
  }
}

/** The operation that finds the caller, if it is one. */
export function finderOf(authentication: Authentication): WithSpan<string> | undefined {
  switch (authentication.type) {
    case 'apikey':
      return authentication.operation;
    case 'basicauth':
    case 'jwt':
    case 'signature':
    case 'custom':
    case undefined:
      return undefined;
  }
}
