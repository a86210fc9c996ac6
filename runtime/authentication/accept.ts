/** Access control of an operation: the accepted authentications, in order, and the required scopes. */
import type { JsonObject } from '../handler/json.js';
import { isFailure, MediaTypeError, ServiceError, type HeaderLines } from '../handler/reply.js';
import { addressOf } from '../http/client-address.js';
import type { Access, AccessRequest, Admission } from '../http/route.js';
import { scopesIn, type Authentication } from './authentication.js';
import { givenOf, noteGiven } from './find-caller.js';
import { CredentialsError, furthest, RefusedCredentials, type Refusal } from './refusal.js';
import type { IncomingMessage } from 'node:http';
import type { CountRequest, RequestCount } from '../limits/request-count.js';
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
    try {
      const admission = await this.decide(request);
      request.decided('status' in admission ? admission.refusal : undefined);
      return admission;
    } catch (error) {
      if (error instanceof CredentialsError) request.decided(error.refusal);
      throw error;
    }
  }

  private async decide(request: AccessRequest): Promise<Admission> {
    for (const group of this.#groups.values())
      if (group.some(({ authentication }) => authentication.isTried(request))) {
        const decision = await decide(group, request);
        return decision instanceof RefusedCredentials ? this.refuse(request, decision, group) : decision;
      }
    // Credentials of a kind that the operation does not accept are wrong ones.
    const hasOthers = request.request.headers.authorization !== undefined;
    if (this.#isOptional && !hasOthers) return { caller: null };
    return this.refuse(request, new RefusedCredentials(hasOthers ? 'not-accepted' : 'missing'));
  }

  /** `tried`: the authentications whose kind of credentials the request has. A request without credentials is not logged. */
  private refuse(
    { request, log, resourceMetadata }: AccessRequest,
    { refusal, header }: RefusedCredentials,
    tried: readonly Accepted[] = [],
  ): Admission {
    if (refusal !== 'missing') logRefused(request, log, refusal);
    const challenges = this.all.map((accepted) => {
      const { hasErrors } = accepted.authentication;
      const challenge = challengeOf(accepted, resourceMetadata);
      return hasErrors === true && tried.includes(accepted)
        ? `${challenge}, error="invalid_token"`
        : challenge;
    });
    const challenge = challengeHeader([...new Set(challenges)].join(', '));
    return {
      status: 401,
      headers: (response) => [...challenge, ...(header?.(response) ?? [])],
      refusal,
    };
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

/**
 * The reason if every authentication of the group refuses the credentials. The limits of the group count them before they are checked.
 * Limits of refused requests then give accepted credentials back, whatever the status of the response will be.
 */
async function decide(
  group: readonly Accepted[],
  request: AccessRequest,
): Promise<Admission | RefusedCredentials> {
  if (group.every(({ authentication }) => authentication.count === undefined)) return check(group, request);
  const ofRefused: RequestCount[] = [];
  const counted: CountRequest = (count) => {
    if (count.isOfRefused) ofRefused.push(count);
    request.counted({ ...count, isOfRefused: false });
  };
  let areRefused = false;
  try {
    for (const { authentication } of group) await authentication.count?.({ ...request, counted });
    const decision = await check(group, request);
    areRefused = decision instanceof RefusedCredentials;
    return decision;
  } catch (error) {
    areRefused = isRefusedByOperation(error);
    throw error;
  } finally {
    if (!areRefused) for (const count of ofRefused) count.giveBack();
  }
}

/** Whether the operation that finds the caller has refused the credentials with another status than 401. */
function isRefusedByOperation(error: unknown): boolean {
  if (error instanceof CredentialsError || error instanceof MediaTypeError) return false;
  return (isFailure(error) || error instanceof ServiceError) && error.status >= 400 && error.status < 500;
}

async function check(
  group: readonly Accepted[],
  request: AccessRequest,
): Promise<Admission | RefusedCredentials> {
  let admission: Admission | undefined;
  let refusal: Refusal = 'missing';
  let header: HeaderLines | undefined;
  // All of them are asked: otherwise the time would reveal which one accepted.
  for (const accepted of group) {
    const { authentication, scopes } = accepted;
    const identity = await authentication.identify(request);
    if (typeof identity === 'string') {
      refusal = furthest(refusal, identity);
      continue;
    }
    if (identity instanceof RefusedCredentials) {
      refusal = furthest(refusal, identity.refusal);
      header ??= identity.header;
      continue;
    }
    const caller: JsonObject = { ...identity, authentication: authentication.name };
    noteGiven(caller, givenOf(identity));
    const own = authentication.scopesOf?.(caller) ?? scopesIn(caller['scope'], caller['scp']);
    const isAllowed = scopes.every((scope) => own.has(scope));
    if (isAllowed && (admission === undefined || 'status' in admission))
      admission = { caller, ...(authentication.isPrivate === true ? { isPrivate: true } : {}) };
    else admission ??= insufficientScope(accepted, request);
  }
  if (admission !== undefined) return admission;
  for (const { authentication } of group) await authentication.pretend?.(request);
  return new RefusedCredentials(refusal, header);
}

function insufficientScope(accepted: Accepted, { resourceMetadata }: AccessRequest): Admission {
  const { scopes } = accepted;
  const { hasErrors } = accepted.authentication;
  const written = `${challengeOf(accepted, resourceMetadata)}, error="insufficient_scope", scope="${scopes.join(' ')}"`;
  return {
    status: 403,
    headers: () => (hasErrors === true ? challengeHeader(written) : []),
    refusal: 'scope',
  };
}

/** The challenge of an authentication, with the metadata that name its issuer. */
function challengeOf({ authentication }: Accepted, resourceMetadata: string | undefined): string {
  const { challenge, authorizationServer } = authentication;
  return resourceMetadata === undefined || authorizationServer === undefined
    ? challenge
    : `${challenge}, resource_metadata="${resourceMetadata}"`;
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
 * Logs refused credentials without their values: the first refusal immediately, later ones as counts by their reasons. Call it only for
 * requests that have credentials.
 */
function logRefused(request: IncomingMessage, log: Log, refusal: Refusal): void {
  const logins = failedLogins.get(log) ?? new FailedLogins(log);
  failedLogins.set(log, logins);
  logins.refused(request, refusal);
}

class FailedLogins {
  private count = 0;
  private readonly addresses = new Set<string>();
  private readonly reasons = new Map<Refusal, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: Log) {}

  refused(request: IncomingMessage, refusal: Refusal): void {
    this.count += 1;
    this.reasons.set(refusal, (this.reasons.get(refusal) ?? 0) + 1);
    const address = this.addresses.size < maxNamed ? addressOf(request) : null;
    if (address !== null) this.addresses.add(address);
    if (this.timer === undefined) this.logRefused();
  }

  private logRefused(): void {
    this.timer = undefined;
    if (this.count === 0) return;
    const reasons = Object.fromEntries(this.reasons);
    this.log.warn({ count: this.count, reasons, addresses: [...this.addresses] }, 'credentials were refused');
    this.count = 0;
    this.addresses.clear();
    this.reasons.clear();
    this.timer = setTimeout(() => {
      this.logRefused();
    }, interval).unref();
  }
}

const failedLogins = new WeakMap<Log, FailedLogins>();
