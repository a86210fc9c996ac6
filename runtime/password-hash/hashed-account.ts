/** HTTP Basic authentication with a single account, given by the hash of its password. */
import { createHmac, randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import type { Authentication } from '../authentication/authentication.js';
import { SendingPages } from '../authentication/sending-pages.js';
import { basicChallenge, basicPlace } from '../basicauth/basic-place.js';
import { problemOfCredential } from '../basicauth/basic-credential.js';
import type { JsonObject } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import type { AccessRequest } from '../http/route.js';
import { readCheckedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import { problemOfPasswordHash, readPasswordHash, type PasswordHash } from './password-hash.js';

/** Creates the named authentication. The account is set by AUTHENTICATION_<NAME>_USER and _PASSWORD_HASH. */
export function hashedAccount(name: string): Authentication {
  return new HashedAccount(name);
}

/** Milliseconds for which correct credentials are accepted without hashing again. */
const remembered = 60_000;
/** Maximum number of concurrent hash computations. They run outside the event loop, but take memory and CPU time. */
const atOnce = 4;
let underWay = 0;

/** The key for digests of cached credentials. Only this process has the key, so the digests are useless to others. */
const digestKey = randomBytes(32);
/** Requests for which a hash has been computed. */
const computed = new WeakSet<IncomingMessage>();

class HashedAccount implements Authentication {
  readonly place = basicPlace.name;
  readonly challenge = basicChallenge;
  #user = '';
  readonly #pages = new SendingPages();
  #expected: PasswordHash | undefined;
  #right: { readonly digest: Buffer; readonly until: number } | undefined;
  /** Credentials being checked, so that requests with the same credentials share one hash computation. */
  readonly #checks = new Map<string, Promise<boolean>>();

  constructor(readonly name: string) {}

  readSettings(environment: Environment): void {
    this.#pages.readSettings(environment);
    const user = readCheckedSetting(environment, ['authentication', this.name], 'user', {
      isSecret: false,
      problemOf: (value) => problemOfCredential('user', value),
    });
    const hash = readCheckedSetting(environment, ['authentication', this.name], 'passwordHash', {
      problemOf: problemOfPasswordHash,
    });
    if (user === undefined || hash === undefined) return;
    environment.addName(user);
    this.#user = user;
    this.#expected = readPasswordHash(hash);
  }

  isTried(request: AccessRequest): boolean {
    return basicPlace.isTried(request);
  }

  /** Throws a ServiceError: 403 for a page of another origin, 503 if too many hashes are being computed. */
  async identify(access: AccessRequest): Promise<JsonObject | undefined> {
    this.#pages.refuseOthers(access);
    const [user, password] = pairOf(basicPlace.read(access) ?? '') ?? [];
    const expected = this.#expected;
    if (user === undefined || password === undefined || expected === undefined) return undefined;
    if (!isSame(user, this.#user.normalize('NFC'))) return undefined;
    const digest = createHmac('sha256', digestKey).update(`${user}:${password}`).digest();
    const { digest: right = digest, until = 0 } = this.#right ?? {};
    if (performance.now() < until && timingSafeEqual(right, digest)) return { sub: this.#user };
    computed.add(access.request);
    if (!(await this.check(digest.toString('hex'), password, expected))) return undefined;
    this.#right = { digest, until: performance.now() + remembered };
    return { sub: this.#user };
  }

  /** Makes an unknown user take as long as a wrong password. */
  async pretend({ request }: AccessRequest): Promise<void> {
    if (this.#expected === undefined || computed.has(request)) return;
    computed.add(request);
    await isPassword('', this.#expected);
  }

  private check(key: string, password: string, expected: PasswordHash): Promise<boolean> {
    const check = this.#checks.get(key) ?? isPassword(password, expected);
    this.#checks.set(key, check);
    return check.finally(() => this.#checks.delete(key));
  }
}

/** The user name and password; undefined unless the token is Base64 of UTF-8. */
function pairOf(token: string): readonly string[] | undefined {
  const bytes = Buffer.from(token, 'base64');
  const text = bytes.toString();
  const isWritten = bytes.toString('base64') === token && Buffer.from(text).equals(bytes);
  const colon = text.indexOf(':');
  return isWritten && colon !== -1 ? [text.slice(0, colon), text.slice(colon + 1)] : undefined;
}

function isSame(a: string, b: string): boolean {
  const [first, second] = [a, b].map((text) => createHmac('sha256', digestKey).update(text).digest());
  return first !== undefined && second !== undefined && timingSafeEqual(first, second);
}

async function isPassword(password: string, { cost, salt, hash }: PasswordHash): Promise<boolean> {
  if (underWay >= atOnce)
    throw new ServiceError(503, 'Too many passwords are being checked', { retryAfter: 1 });
  underWay += 1;
  try {
    const found = await scrypted(password.normalize('NFC'), salt, hash.length, cost);
    return timingSafeEqual(found, hash);
  } finally {
    underWay -= 1;
  }
}

const scrypted = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
