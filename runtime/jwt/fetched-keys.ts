/**
 * Verifies tokens (JWT) with the published keys of their issuer (JWKS), which are fetched when needed, and again when they are old or a
 * key is missing.
 */
import {
  createLocalJWKSet,
  errors,
  type CryptoKey,
  type JSONWebKeySet,
  type JWK,
  type JWTVerifyGetKey,
} from 'jose';
import { CredentialsError, furthest, type Refusal } from '../authentication/refusal.js';
import { ServiceError } from '../handler/reply.js';
import { describeFailure, type Log } from '../server/log.js';
import { problemOfJwks } from '../server/secure-address.js';
import { allPublicAlgorithms } from './algorithms.js';
import { Jwt, type JwtOptions } from './jwt.js';
import { refusalOf, refusedBy, type KeySource, type TokenKeys } from './token-keys.js';

/** Creates the named authentication, with the settings AUTHENTICATION_<NAME>_ISSUER, _AUDIENCE and _JWKS. */
export function jwt(name: string, options: JwtOptions = {}): Jwt {
  return new Jwt(name, published, options);
}

const published: KeySource = {
  field: 'jwks',
  isSecret: false,
  problemOf: problemOfJwks,
  keysOf: (address, authentication) => new FetchedKeys(authentication, address),
};

const second = 1000;
const minute = 60 * second;
/** Milliseconds before keys are fetched again. */
const lifetime = 10 * minute;
/** Milliseconds for which keys are still used if they cannot be renewed. */
const longestLifetime = 24 * 60 * minute;
/** Milliseconds between two requests for an unknown key, and after a failed request. */
const pause = 30 * second;
/** Milliseconds before the next request if no keys are available. */
const shortPause = second;
const timeLimit = 5 * second;
/** Maximum bytes of a response. */
const sizeLimit = 1024 * 1024;

/** The members of a published key that are used, which exclude its URL (`x5u`) and private parts. */
const members = ['kty', 'kid', 'use', 'alg', 'key_ops', 'crv', 'x', 'y', 'n', 'e'] as const;

interface KeySet {
  readonly keys: JWTVerifyGetKey;
  readonly since: number;
}

class FetchedKeys implements TokenKeys {
  readonly id: string;
  readonly algorithms = allPublicAlgorithms;
  #set: KeySet | undefined;
  #asked = -Infinity;
  #renewal: Promise<void> | undefined;
  /** Whether the last request failed. */
  #hasFailed = false;

  /** `authentication` is the configured name, for the log. */
  constructor(
    private readonly authentication: string,
    private readonly url: string,
  ) {
    this.id = `jwks ${url}`;
  }

  async check(verify: (key: JWTVerifyGetKey) => Promise<unknown>, log: Log): Promise<Refusal | undefined> {
    const first = await this.current(log);
    try {
      await verify(first.keys);
      return undefined;
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) return refusalByAll(error, verify);
      if (!(error instanceof errors.JWKSNoMatchingKey)) return refusedBy(error);
    }
    // The issuer may have a new key.
    if (performance.now() - this.#asked < pause && this.#renewal === undefined) return 'unknown-key';
    await this.renew(log);
    const next = this.#set;
    return next !== undefined && next !== first ? refusalOf(verify(next.keys)) : 'unknown-key';
  }

  /** The current keys. Throws a ServiceError 503 if no keys are available. */
  private async current(log: Log): Promise<KeySet> {
    const isOld = (ageLimit: number): boolean =>
      this.#set === undefined || performance.now() - this.#set.since > ageLimit;
    const wait = this.#set === undefined ? shortPause : pause;
    if (isOld(lifetime) && (this.#renewal !== undefined || performance.now() - this.#asked >= wait)) {
      const renewal = this.renew(log);
      // While keys are available, only the first call waits for an unresponsive key server.
      if (!this.#hasFailed || isOld(longestLifetime)) await renewal;
    }
    if (this.#set === undefined || isOld(longestLifetime))
      throw new CredentialsError(503, 'The keys for tokens cannot be read', 'keys-unavailable', {
        retryAfter: 5,
      });
    return this.#set;
  }

  /** Fetches the keys. All waiting calls share one request. */
  private renew(log: Log): Promise<void> {
    this.#renewal ??= this.fetch(log).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  private async fetch(log: Log): Promise<void> {
    this.#asked = performance.now();
    try {
      const keys = createLocalJWKSet(await readKeySet(this.url));
      this.#set = { keys, since: performance.now() };
      this.#hasFailed = false;
    } catch (error) {
      this.#hasFailed = true;
      const { authentication } = this;
      log.warn({ authentication, ...describeFailure(error) }, 'the keys for tokens cannot be read');
    }
  }
}

/** A token that does not name its key may be of any that suits its algorithm; undefined if one of them verifies it. */
async function refusalByAll(
  candidates: AsyncIterable<CryptoKey>,
  verify: (key: JWTVerifyGetKey) => Promise<unknown>,
): Promise<Refusal | undefined> {
  let reason: Refusal = 'missing';
  for await (const key of candidates) {
    const refusal = await refusalOf(verify(() => key));
    if (refusal === undefined) return undefined;
    reason = furthest(reason, refusal);
  }
  return reason;
}

async function readKeySet(url: string): Promise<JSONWebKeySet> {
  const controller = new AbortController();
  // AbortSignal.timeout can be garbage-collected before it fires, and an endless body would then be awaited forever.
  const timer = setTimeout(() => {
    controller.abort(unusable(`no response within ${timeLimit} ms`));
  }, timeLimit);
  try {
    return await fetchKeySet(url, controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

async function fetchKeySet(url: string, signal: AbortSignal): Promise<JSONWebKeySet> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal,
  });
  if (response.status !== 200) throw unusable(`status ${response.status}`);
  const set: unknown = JSON.parse(await readText(response, signal));
  const list: unknown = typeof set === 'object' && set !== null && 'keys' in set ? set.keys : undefined;
  const keys = Array.isArray(list) ? list.flatMap(publicPart) : [];
  if (keys.length === 0) throw unusable('no public keys');
  return { keys };
}

/** The error for missing keys; the reason is only logged. */
function unusable(reason: string): ServiceError {
  return new ServiceError(503, 'The keys for tokens cannot be read', { log: { reason } });
}

async function readText(response: Response, signal: AbortSignal): Promise<string> {
  const body: ReadableStream<Uint8Array> | null = response.body;
  const reader = body?.getReader();
  const cancel = (): void => void reader?.cancel().catch(() => undefined);
  // The signal does not cancel the body after its request has been garbage-collected, and an endless body would then be awaited
  // forever.
  signal.addEventListener('abort', cancel);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    size += part.value.length;
    if (size > sizeLimit) {
      cancel();
      throw unusable(`more than ${sizeLimit} bytes`);
    }
    chunks.push(part.value);
  }
  signal.throwIfAborted();
  return Buffer.concat(chunks).toString();
}

/** The public part of a key; empty for secrets and encryption keys. */
function publicPart(key: unknown): JWK[] {
  if (typeof key !== 'object' || key === null) return [];
  const known = Object.fromEntries(
    members
      .filter((member) => Object.hasOwn(key, member))
      .map((member) => [member, Reflect.get(key, member)]),
  ) as JWK;
  return ['RSA', 'EC', 'OKP'].includes(known.kty ?? '') && known.use !== 'enc' ? [known] : [];
}
