/** Access control of an operation: the accepted authentications, in order, and the required scopes. */
import type { JsonObject } from '../handler/json.js';
import type { Access, AccessRequest, Admission } from '../http/route.js';
import { scopesIn, type Authentication } from './authentication.js';
import type { IncomingMessage } from 'node:http';
import type { Log } from '../server/log.js';

/** An authentication accepted by an operation. */
interface Accepted {
  readonly authentication: Authentication;
  /** The scopes that a caller must have, all of them. */
  readonly scopes: readonly string[];
  readonly isOptional: boolean;
}

/** Requires all of the given scopes. Other valid tokens get status 403. */
export function withScopes(authentication: Authentication, ...scopes: readonly string[]): Accepted {
  return { authentication, scopes, isOptional: false };
}

/** Also accepts requests without credentials. */
export function optional(accepted: Authentication | Accepted): Accepted {
  return { ...asAccepted(accepted), isOptional: true };
}

/**
 * Accepts the credentials of these authentications. If a request has credentials of several kinds, only the first of these kinds in the
 * list is used, with all authentications of that kind.
 */
export function accept(...accepted: readonly (Authentication | Accepted)[]): Access {
  return new Acceptance(accepted.map(asAccepted));
}

function asAccepted(accepted: Authentication | Accepted): Accepted {
  return 'authentication' in accepted
    ? accepted
    : { authentication: accepted, scopes: [], isOptional: false };
}

class Acceptance implements Access {
  readonly #groups: ReadonlyMap<string, readonly Accepted[]>;
  readonly #isOptional: boolean;

  constructor(private readonly all: readonly Accepted[]) {
    this.#groups = byPlace(all);
    this.#isOptional = all.some(({ isOptional }) => isOptional);
  }

  async admit(request: AccessRequest): Promise<Admission> {
    for (const group of this.#groups.values())
      if (group.some(({ authentication }) => authentication.isTried(request)))
        return (await decide(group, request)) ?? this.refuse(request, group);
    // Credentials of a kind that the operation does not accept are invalid.
    const hasOthers = request.request.headers.authorization !== undefined;
    if (this.#isOptional && !hasOthers) return { caller: null };
    return this.refuse(request, hasOthers ? [] : undefined);
  }

  /**
   * `tried`: the authentications whose kind of credentials is in the request. Undefined for a request without credentials, which is not
   * logged.
   */
  private refuse({ request, log }: AccessRequest, tried: readonly Accepted[] | undefined): Admission {
    if (tried !== undefined) logRefused(request, log);
    const challenges = this.all.map((accepted) => {
      const { challenge, hasErrors } = accepted.authentication;
      return hasErrors === true && tried?.includes(accepted) === true
        ? `${challenge}, error="invalid_token"`
        : challenge;
    });
    return { status: 401, headers: challengeHeader([...new Set(challenges)].join(', ')) };
  }
}

function byPlace(all: readonly Accepted[]): ReadonlyMap<string, readonly Accepted[]> {
  const groups = new Map<string, Accepted[]>();
  for (const accepted of all) {
    const { place } = accepted.authentication;
    groups.set(place, [...(groups.get(place) ?? []), accepted]);
  }
  return groups;
}

/** The decision of a group; undefined if all authentications reject the credentials. */
async function decide(group: readonly Accepted[], request: AccessRequest): Promise<Admission | undefined> {
  let admission: Admission | undefined;
  // All authentications are checked: otherwise the time would reveal which one accepted.
  for (const accepted of group) {
    const { authentication, scopes } = accepted;
    const identity = await authentication.identify(request);
    if (identity === undefined) continue;
    const caller: JsonObject = { ...identity, authentication: authentication.name };
    const own = authentication.scopesOf?.(caller) ?? scopesIn(caller['scope'], caller['scp']);
    const isAllowed = scopes.every((scope) => own.has(scope));
    if (isAllowed && (admission === undefined || 'status' in admission))
      admission = { caller, ...(authentication.isPrivate === true ? { isPrivate: true } : {}) };
    else admission ??= insufficientScope(accepted);
  }
  if (admission === undefined)
    for (const { authentication } of group) await authentication.pretend?.(request);
  return admission;
}

function insufficientScope({ authentication, scopes }: Accepted): Admission {
  const { challenge, hasErrors } = authentication;
  const written = `${challenge}, error="insufficient_scope", scope="${scopes.join(' ')}"`;
  return { status: 403, headers: hasErrors === true ? challengeHeader(written) : [] };
}

/** A challenge header. Challenges are joined in one header, because the response cannot repeat a header name. */
function challengeHeader(challenge: string): [string, string] {
  return ['WWW-Authenticate', challenge];
}

/** Milliseconds between two log entries. */
const interval = 60_000;
/** Maximum number of addresses in a log entry. */
const maxNamed = 10;

/**
 * Logs rejected credentials without their values: the first rejection immediately, later ones as a count. Only call for requests with
 * credentials.
 */
function logRefused(request: IncomingMessage, log: Log): void {
  const logins = failedLogins.get(log) ?? new FailedLogins(log);
  failedLogins.set(log, logins);
  logins.refused(request);
}

class FailedLogins {
  private count = 0;
  private readonly addresses = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: Log) {}

  refused({ socket }: IncomingMessage): void {
    this.count += 1;
    if (this.addresses.size < maxNamed && socket.remoteAddress !== undefined)
      this.addresses.add(socket.remoteAddress);
    if (this.timer === undefined) this.logRefused();
  }

  private logRefused(): void {
    this.timer = undefined;
    if (this.count === 0) return;
    this.log.warn({ count: this.count, addresses: [...this.addresses] }, 'credentials were refused');
    this.count = 0;
    this.addresses.clear();
    this.timer = setTimeout(() => {
      this.logRefused();
    }, interval).unref();
  }
}

const failedLogins = new WeakMap<Log, FailedLogins>();
