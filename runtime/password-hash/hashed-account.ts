/** HTTP Basic authentication with a single account, given by the hash of its password. */
import { createHmac, randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import type { Authentication, Identity } from '../authentication/authentication.js';
import { CredentialsError } from '../authentication/refusal.js';
import { SendingPages } from '../authentication/sending-pages.js';
import { basicChallenge, basicPlace, pairOf, userIn } from '../basicauth/basic-place.js';
import { problemOfCredential } from '../basicauth/basic-credential.js';
import type { AccessRequest } from '../http/route.js';
import { readCheckedSetting, readRotatedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import { problemOfPasswordHash, readPasswordHash, type PasswordHash } from './password-hash.js';

/** Creates the authentication of that name. Its account: AUTHENTICATION_<NAME>_USER and _PASSWORD_HASH, and _PASSWORD_HASH_2 while the password is replaced. */
export function hashedAccount(name: string): Authentication {
  return new HashedAccount(name);
}

/** Milliseconds for which correct credentials are accepted without hashing again. */
const remembered = 60_000;
/** Passwords checked at the same time, outside the event loop; each needs memory and a processor. */
const atOnce = 4;
let underWay = 0;

/** The key for digests of cached credentials. Only this process has the key, so the digests are useless to others. */
const digestKey = randomBytes(32);
/** How many hashes have been computed for a request. */
const computed = new WeakMap<IncomingMessage, number>();

interface RememberedPair {
  readonly digest: Buffer;
  /** In milliseconds of `performance.now()`. */
  readonly until: number;
}

class HashedAccount implements Authentication {
  readonly place = basicPlace.name;
  readonly challenge = basicChallenge;
  #user = '';
  readonly #pages = new SendingPages();
  /** More than one while the password is replaced. */
  #expected: readonly PasswordHash[] = [];
  /** The last correct pair of each hash, by its index. */
  readonly #right: (RememberedPair | undefined)[] = [];
  /** Pairs that are being checked, so that requests with the same one wait for one hash. */
  readonly #checks = new Map<string, Promise<number>>();

  constructor(readonly name: string) {}

  readSettings(environment: Environment): void {
    this.#pages.readSettings(environment);
    const user = readCheckedSetting(environment, ['authentication', this.name], 'user', {
      isSecret: false,
      problemOf: (value) => problemOfCredential('user', value),
    });
    const hashes = readRotatedSetting(environment, ['authentication', this.name], 'passwordHash', {
      problemOf: problemOfPasswordHash,
    });
    if (user === undefined) return;
    environment.addName(user);
    this.#user = user;
    this.#expected = hashes.flatMap((hash) => readPasswordHash(hash) ?? []);
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
    const expected = this.#expected;
    if (expected.length === 0 || !isSame(user, this.#user.normalize('NFC'))) return 'unknown-account';
    const digest = createHmac('sha256', digestKey).update(`${user}:${password}`).digest();
    if (this.isRemembered(digest)) return { sub: this.#user };
    computed.set(access.request, (computed.get(access.request) ?? 0) + expected.length);
    const index = await this.check(digest.toString('hex'), password, expected);
    if (index === -1) return 'wrong-password';
    this.#right[index] = { digest, until: performance.now() + remembered };
    return { sub: this.#user };
  }

  /** Makes an unknown user take as long as a wrong password. */
  async pretend({ request }: AccessRequest): Promise<void> {
    const rest = this.#expected.slice(computed.get(request) ?? 0);
    if (rest.length === 0) return;
    computed.set(request, this.#expected.length);
    // Whether equal requests wait for one hash must not depend on the user.
    const credentials = createHmac('sha256', digestKey).update(request.headers.authorization ?? '');
    await this.check(`pretended ${credentials.digest('hex')}`, '', rest);
  }

  private isRemembered(digest: Buffer): boolean {
    const now = performance.now();
    const found = this.#right.filter((pair) => pair !== undefined && timingSafeEqual(pair.digest, digest));
    return found.some((pair) => pair !== undefined && now < pair.until);
  }

  private check(key: string, password: string, expected: readonly PasswordHash[]): Promise<number> {
    const check = this.#checks.get(key) ?? indexOfPassword(password, expected);
    this.#checks.set(key, check);
    return check.finally(() => this.#checks.delete(key));
  }
}

function isSame(a: string, b: string): boolean {
  const [first, second] = [a, b].map((text) => createHmac('sha256', digestKey).update(text).digest());
  return first !== undefined && second !== undefined && timingSafeEqual(first, second);
}

/** The index of the hash of this password; -1 without one. All hashes are computed, so the time does not reveal which one it is. */
async function indexOfPassword(password: string, hashes: readonly PasswordHash[]): Promise<number> {
  if (underWay >= atOnce)
    throw new CredentialsError(503, 'Too many passwords are being checked', 'busy', { retryAfter: 1 });
  underWay += 1;
  try {
    const found: boolean[] = [];
    for (const { cost, salt, hash } of hashes)
      found.push(timingSafeEqual(await scrypted(password.normalize('NFC'), salt, hash.length, cost), hash));
    return found.indexOf(true);
  } finally {
    underWay -= 1;
  }
}

const scrypted = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
