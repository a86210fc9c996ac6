/** HTTP Basic authentication with accounts found by an operation, such as rows of a table. */
import { createHmac, randomBytes } from 'node:crypto';
import type { AskedAgain, Authentication, Identity } from '../authentication/authentication.js';
import { findCaller, noteGiven, type CallerFinder } from '../authentication/find-caller.js';
import { CredentialsError, RefusedCredentials } from '../authentication/refusal.js';
import { SendingPages } from '../authentication/sending-pages.js';
import { problemOfCredential } from '../basicauth/basic-credential.js';
import { basicChallenge, basicPlace, longestUser, pairOf, userIn } from '../basicauth/basic-place.js';
import type { Json, JsonObject } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { addressOf } from '../http/client-address.js';
import type { AccessRequest, Handler } from '../http/route.js';
import { ClientNetwork } from '../limits/limit-key.js';
import type { Environment } from '../server/environment.js';
import type { HashClient } from './hash-threads.js';
import { isPassword, PasswordVerifier } from './passwords.js';

export interface FoundAccountOptions {
  /** An operation that returns the caller for `PARAM(user)`, and the hash of its password as `passwordHash`. */
  readonly operation: Handler;
}

/** Creates the authentication of that name. */
export function foundAccount(name: string, options: FoundAccountOptions): Authentication {
  return new FoundAccount(name, options);
}

/** Milliseconds for which a password is accepted for the same hash without hashing it again. */
const remembered = 60_000;
/** Maximum number of remembered passwords. */
const mostRemembered = 10_000;

/** The key for digests of remembered passwords. Only this process has the key, so the digests are useless to others. */
const digestKey = randomBytes(32);

class FoundAccount implements Authentication {
  readonly place = basicPlace.name;
  readonly challenge = basicChallenge;
  readonly #finder: CallerFinder;
  readonly #pages = new SendingPages();
  readonly #passwords = new PasswordVerifier();
  /** Digests of correct passwords with their hash, oldest first, and their end in milliseconds of `performance.now()`. */
  readonly #right = new Map<string, number>();
  /** Passwords that are being verified, so that requests with the same one wait for one hash. */
  readonly #checks = new Map<string, Promise<boolean>>();

  constructor(
    readonly name: string,
    { operation }: FoundAccountOptions,
  ) {
    // Code and headers of its exceptions would tell strangers which accounts exist: they are not sent.
    this.#finder = { operation, unknown: 'unknown-account', areVerified: false };
  }

  readSettings(environment: Environment): void {
    this.#pages.readSettings(environment);
  }

  isTried(request: AccessRequest): boolean {
    return basicPlace.isTried(request);
  }

  partsOf(request: AccessRequest): { readonly user: string | null } {
    return { user: userIn(request) };
  }

  /** Throws a ServiceError: 403 for a page of another origin, 503 if too many hashes are being computed. */
  async identify(access: AccessRequest): Promise<Identity> {
    this.#pages.refuseOthers(access);
    const [user, password] = pairOf(basicPlace.read(access) ?? '') ?? [];
    if (user === undefined || password === undefined) return 'malformed';
    if (!isUser(user) || !isPassword(password)) return 'malformed';
    const parameters = { user: user.normalize('NFC') };
    const found = await findCaller(this.#finder, { parameters }, access);
    const { passwordHash = null, ...caller } = found instanceof RefusedCredentials ? {} : found;
    noteGiven(caller, { parameters });
    const client = { network: new ClientNetwork(addressOf(access.request)).text };
    const isRight = await this.#isRight(user, password, passwordHash, client);
    if (found instanceof RefusedCredentials) return found;
    return isRight ? caller : 'wrong-password';
  }

  async findAgain(...asked: AskedAgain): Promise<JsonObject | RefusedCredentials> {
    const found = await findCaller(this.#finder, ...asked);
    if (found instanceof RefusedCredentials) return found;
    const { passwordHash = null, ...caller } = found;
    // Without a hash, the account accepts no password anymore.
    return passwordHash === null ? new RefusedCredentials('unknown-account') : caller;
  }

  /** Also called for a missing account: whether equal requests wait for each other must not depend on it. */
  async #isRight(user: string, password: string, hash: Json, client: HashClient): Promise<boolean> {
    const key = createHmac('sha256', digestKey)
      .update(JSON.stringify([user, password, hash]))
      .digest('hex');
    if ((this.#right.get(key) ?? 0) > performance.now()) return true;
    const check = this.#checks.get(key) ?? this.#verify(password, hash, client);
    this.#checks.set(key, check);
    const isRight = await check.finally(() => this.#checks.delete(key));
    if (isRight) this.#remember(key);
    return isRight;
  }

  async #verify(password: string, hash: Json, client: HashClient): Promise<boolean> {
    try {
      return await this.#passwords.verify(password, hash, client);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 503) throw error;
      throw new CredentialsError(503, error.message, 'busy', error.details);
    }
  }

  #remember(key: string): void {
    this.#right.delete(key);
    this.#right.set(key, performance.now() + remembered);
    const [oldest] = this.#right.keys();
    if (this.#right.size > mostRemembered && oldest !== undefined) this.#right.delete(oldest);
  }
}

function isUser(user: string): boolean {
  return problemOfCredential('user', user) === undefined && Buffer.byteLength(user) <= longestUser;
}
