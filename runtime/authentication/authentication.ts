/** The interface of authentications, which read credentials from a request and identify the caller. */
import type { JsonObject } from '../handler/json.js';
import type { AccessRequest } from '../http/route.js';
import type { Log } from '../server/log.js';
import type { SettingsReader } from '../server/environment.js';
import type { GivenCredentials } from './find-caller.js';
import type { Refusal, RefusedCredentials } from './refusal.js';

/** The caller, or the reason why there is none. */
export type Identity = JsonObject | Refusal | RefusedCredentials;

export interface Authentication extends SettingsReader {
  /** The configured name, which becomes the `authentication` of the caller. */
  readonly name: string;
  /**
   * The location of the credentials in a request. Authentications with the same location decide together, such as several accounts of
   * HTTP Basic or several token issuers.
   */
  readonly place: string;
  /** The challenge in 401 responses (`WWW-Authenticate`). */
  readonly challenge: string;
  /** Whether the challenge includes the error codes of RFC 6750. */
  readonly hasErrors?: boolean;
  /** The issuer as a URL, if clients can ask it for tokens. */
  readonly authorizationServer?: string | undefined;
  /** Whether shared caches must not store responses to authenticated callers: caches recognize HTTP Basic, but not API keys and cookies. */
  readonly isPrivate?: boolean;
  /** Whether `src/middleware.ts` checks the credentials. */
  readonly needsMiddleware?: boolean;
  /** Counts a request with credentials before they are checked, if there are limits. Throws a ServiceError 429 or 503. */
  count?: (request: AccessRequest) => Promise<void>;
  /**
   * The parts of the credentials that limits read; null if malformed. Undefined for credentials of another authentication in the same
   * location, which are not counted.
   */
  partsOf?(request: AccessRequest): Readonly<Record<string, string | null>> | undefined;
  /** Sentences about problems that stop the start, also with later authentications. Called when all settings have been read. */
  problemsAtStart?(later: readonly object[], log: Log): Promise<readonly string[]>;
  /** Whether the request has credentials in this location, valid or not. */
  isTried(request: AccessRequest): boolean;
  /**
   * The caller, without the name of the authentication, or the reason why the credentials are refused. How long it takes does not depend on
   * the reason. Throws a ServiceError: 403, 413, 503.
   */
  identify(request: AccessRequest): Identity | Promise<Identity>;
  /**
   * Asks the operation of the authentication again for a caller, without its credentials. Undefined without an operation. Throws the errors of
   * `identify`.
   */
  findAgain?(...asked: AskedAgain): Promise<JsonObject | RefusedCredentials> | undefined;
  /** The scopes of a caller. Without this method they are read from its fields `scope` and `scp`. */
  scopesOf?(caller: JsonObject): ReadonlySet<string>;
  /** Takes as long as checking credentials. Called if no authentication with this location knows the user. */
  pretend?(request: AccessRequest): Promise<void>;
}

/** The earlier input of the operation, and the call that asks it again. */
export type AskedAgain = [given: GivenCredentials, call: Pick<AccessRequest, 'deadline' | 'decided'>];

/** Parses scopes, either a space-separated string or a list. */
export function scopesIn(...values: readonly unknown[]): ReadonlySet<string> {
  const found: unknown[] = values.flatMap((value) => (typeof value === 'string' ? value.split(' ') : value));
  return new Set(found.filter((scope): scope is string => typeof scope === 'string' && scope !== ''));
}
