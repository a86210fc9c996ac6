/** The interface of an authentication: it reads credentials of a request and identifies the caller. */
import type { JsonObject } from '../handler/json.js';
import type { AccessRequest } from '../http/route.js';
import type { SettingsReader } from '../server/environment.js';

export interface Authentication extends SettingsReader {
  /** As configured: the caller's `authentication`. */
  readonly name: string;
  /**
   * The place of its credentials in a request. Authentications with the same place decide together, such as several accounts of HTTP Basic
   * or several issuers of tokens.
   */
  readonly place: string;
  /** The challenge of a 401 response, for `WWW-Authenticate`. */
  readonly challenge: string;
  /** Whether the challenge has the errors of RFC 6750. */
  readonly hasErrors?: boolean;
  /** Whether only the client may store responses to its callers: caches know of HTTP Basic, and not of keys and cookies. */
  readonly isPrivate?: boolean;
  /** Whether `src/middleware.ts` checks its credentials. */
  readonly needsMiddleware?: boolean;
  /** Whether the request has credentials at the place, whatever they are. */
  isTried(request: AccessRequest): boolean;
  /** The caller, without the name of the authentication; undefined if the credentials are wrong. Throws a ServiceError: 403, 413, 503. */
  identify(request: AccessRequest): JsonObject | undefined | Promise<JsonObject | undefined>;
  /** The scopes of a caller. Without this method they are read from its fields `scope` and `scp`. */
  scopesOf?(caller: JsonObject): ReadonlySet<string>;
  /** Takes the time that a check of credentials takes. Called if no authentication of the place knows the user. */
  pretend?(request: AccessRequest): Promise<void>;
}

/** Scopes as one string with spaces, or as a list. */
export function scopesIn(...values: readonly unknown[]): ReadonlySet<string> {
  const found: unknown[] = values.flatMap((value) => (typeof value === 'string' ? value.split(' ') : value));
  return new Set(found.filter((scope): scope is string => typeof scope === 'string' && scope !== ''));
}
