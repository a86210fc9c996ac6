/** The authentications of a service, and who may call which operation (docs/design/authentication.md#aut-3). */
import { acceptedBy, finderOf, isOpen } from '../../analyze/operations/authentications/accepted.js';
import {
  checkedIdentifier,
  type Authentication,
  type AuthenticationType,
  type Config,
  type KnownAuthentication,
  type TokenIssue,
} from '../../read/config/config-model.js';
import { acceptsAnyPage } from '../../analyze/operations/requests/accepted-types.js';
import { withCalled } from '../../read/config/walk.js';
import { cookiesWithSecrets } from '../../analyze/operations/secrets/cookies-with-secrets.js';
import type { ScalarText, WithSpan } from '../../read/source.js';
import { planLimits, type LimitPlan, type LimitStores } from './limits.js';
import type { CalledOperation } from './operation-plan.js';

export interface AuthenticationPlan {
  readonly name: string;
  readonly identifier: string;
  readonly type: AuthenticationType;
  /** Whether the password is a hash of the configuration. */
  readonly isHashed: boolean;
  /** Whether tokens are verified with a single configured key instead of the keys published by their issuer. */
  readonly hasOwnKey: boolean;
  /** Constants of the configuration by field name; all other fields are settings of the service. */
  readonly options: Readonly<Record<string, string | number | boolean | readonly string[] | IssuePlan>>;
  readonly limits: readonly LimitPlan[];
  /** The operation that finds the caller. */
  readonly operation: Pick<CalledOperation, 'name' | 'functionName' | 'fileName'> | undefined;
}

/** Tokens that the service issues. */
interface IssuePlan {
  /** Seconds, or several lifetimes by name. */
  readonly lifetime: number | Readonly<Record<string, number>>;
  readonly claims?: readonly string[];
  /** The number of keys that only sign. */
  readonly keys?: number;
}

/** An authentication with the scopes that an operation requires. */
export interface AcceptedPlan extends AuthenticationPlan {
  readonly scopes: readonly string[];
  readonly isOptional: boolean;
}

/** Authentications in the order in which they are tried; empty if everybody may call the operation. */
export type AccessPlan = readonly AcceptedPlan[];

/** `operation` finds an operation by name. */
export function planAuthentication(
  authentication: Authentication,
  identifier: string,
  operation: (name: string) => AuthenticationPlan['operation'],
  stores: LimitStores,
): AuthenticationPlan {
  const { name, type } = authentication;
  if (type === undefined) throw new Error(`Nothing was reported of the type of '${name.value}'.`);
  const finder = finderOf(authentication);
  return {
    ...{ name: name.value, identifier, type },
    isHashed: type === 'basicauth' && authentication.passwordHash !== undefined,
    hasOwnKey: type === 'jwt' && authentication.key !== undefined,
    options: optionsOf(authentication),
    limits: planLimits(authentication.limits, stores),
    operation: finder && operation(finder.value),
  };
}

function optionsOf(authentication: KnownAuthentication): AuthenticationPlan['options'] {
  switch (authentication.type) {
    case 'jwt': {
      const { issuer, audience, expiry, scheme, scopesClaim, cookie, algorithms, issue } = authentication;
      return {
        ...texts({ issuer: switchedOff(issuer), audience: switchedOff(audience), expiry }),
        ...texts({ scheme, scopesClaim, cookie }),
        ...(algorithms.length === 0 ? {} : { algorithms: algorithms.map(({ value }) => value) }),
        ...(issue === undefined ? {} : { issue: planIssue(issue) }),
      };
    }
    case 'apikey': {
      const { header, query, cookie, scheme, prefix, keys } = authentication;
      return {
        ...texts({ header, query, cookie, scheme, prefix }),
        ...(keys.length === 0 ? {} : { keys: keys.map((one) => one.name.value) }),
      };
    }
    case 'signature': {
      const { scheme, secrets } = authentication;
      return { ...texts({ scheme }), ...(secrets.length < 2 ? {} : { secrets: secrets.length }) };
    }
    case 'basicauth':
    case 'custom':
      return {};
  }
}

/** The text if it switches a check off; otherwise it is a setting. */
function switchedOff(text: ScalarText | undefined): ScalarText | undefined {
  return checkedIdentifier(text) === undefined ? text : undefined;
}

function planIssue({ lifetimes, claims, keys }: TokenIssue): IssuePlan {
  const [first] = lifetimes;
  if (first === undefined) throw new Error('Nothing was reported of a missing lifetime.');
  return {
    lifetime:
      first.name === undefined
        ? first.seconds
        : Object.fromEntries(lifetimes.map(({ name = '', seconds }) => [name, seconds])),
    ...(claims.length === 0 ? {} : { claims: claims.map(({ value }) => value) }),
    ...(keys.length === 0 ? {} : { keys: keys.length }),
  };
}

function texts(fields: Readonly<Record<string, WithSpan<string> | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, text.value] as const],
    ),
  );
}

/** Access by operation name, for operations that handle requests; empty if no authentication is configured. */
export function accessTo(
  config: Config,
  authentications: readonly AuthenticationPlan[],
): ReadonlyMap<string, AccessPlan> {
  if (authentications.length === 0) return new Map();
  const known = new Map(authentications.map((authentication) => [authentication.name, authentication]));
  const asking = config.operations.filter(({ endpoint }) => endpoint !== undefined);
  return new Map(
    asking.map((operation): [string, AccessPlan] => [
      operation.name.value,
      (acceptedBy(operation, config) ?? []).map(({ value, scopes, isOptional }): AcceptedPlan => {
        const authentication = known.get(value);
        if (authentication === undefined) throw new Error(`No authentication is called '${value}'.`);
        return { ...authentication, scopes: scopes.map((scope) => scope.value), isOptional };
      }),
    ]),
  );
}

/** The open operations that only pages of known origins may call, by name, with the cookies that they read. */
export function knownPagesOf(config: Config): ReadonlyMap<string, readonly string[]> {
  const byName = new Map(config.operations.map((operation) => [operation.name.value, operation]));
  return new Map(
    config.operations.flatMap((operation): [string, readonly string[]][] => {
      if (operation.endpoint === undefined || !isOpen(acceptedBy(operation, config) ?? [])) return [];
      const cookies = cookiesWithSecrets(operation, withCalled([operation], byName));
      if (cookies === undefined && !acceptsAnyPage(operation.accepts)) return [];
      return [[operation.name.value, cookies ?? []]];
    }),
  );
}
