/** The authentications that an operation accepts: those that it lists, otherwise the defaults (docs/design/authentication.md#aut-3.4). */
import type {
  AcceptedAuthentication,
  Authentication,
  AuthenticationType,
  Config,
  Operation,
} from '../../../read/config/config-model.js';
import { allFulfillments, withCalled } from '../../../read/config/walk.js';
import type { WithSpan } from '../../../read/source.js';

/**
 * The accepted authentications. Empty for an open operation; undefined if it must list authentications but does not, which a rule reports.
 */
export function acceptedBy(
  { authentications: named }: Pick<Operation, 'authentications'>,
  { authentications: all }: Pick<Config, 'authentications'>,
): readonly AcceptedAuthentication[] | undefined {
  if (named !== undefined) return named;
  return all.length === 0 ? [] : acceptedByDefault(all)?.map(asAccepted);
}

/** Whether everybody may call the operation that accepts these authentications. */
export function isOpen(accepted: readonly Pick<AcceptedAuthentication, 'isOptional'>[]): boolean {
  return accepted.length === 0 || accepted.some(({ isOptional }) => isOptional);
}

/** The defaults. A signature is never a default; if there are several types, only those with `default: true` are. */
function acceptedByDefault(all: readonly Authentication[]): readonly Authentication[] | undefined {
  const others = all.filter(({ type }) => type !== 'signature');
  const types = new Set(others.map(({ type }) => type));
  // An unknown type has been reported.
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
 * Whether a browser can add the credentials automatically to requests from any page; true for `custom`, whose credentials are unknown.
 * Credentials in cookies are considered separately.
 */
export function isSentByBrowsers(type: AuthenticationType | undefined): boolean {
  return type !== undefined && isOfBrowsers[type];
}

/** The cookie that can contain the credentials. */
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

/** The operation that finds the caller, if the authentication uses an operation. */
export function finderOf(authentication: Authentication): WithSpan<string> | undefined {
  switch (authentication.type) {
    case 'basicauth':
    case 'jwt':
    case 'apikey':
      return authentication.operation;
    case 'signature':
    case 'custom':
    case undefined:
      return undefined;
  }
}

/** Whether the operation that finds the caller can refuse right credentials with 403 and a code (docs/design/authentication.md#aut-12.4). */
export function canBeDenied(
  authentication: Authentication,
  { operations }: Pick<Config, 'operations'>,
): boolean {
  const finder = finderOf(authentication);
  // The operation of an account runs before its password is compared.
  if (finder === undefined || authentication.type === 'basicauth') return false;
  const byName = new Map(operations.map((operation) => [operation.name.value, operation]));
  const found = byName.get(finder.value);
  const called = found === undefined ? [] : [...withCalled([found], byName)];
  return called
    .flatMap(({ exceptions, fulfillments }) => [
      ...exceptions,
      ...allFulfillments(fulfillments).flatMap(({ fulfillment }) => fulfillment.exceptions),
    ])
    .some(({ statuscode, code }) => statuscode === 403 && code !== undefined);
}
