/**
 * Hashes and verifies passwords. How long a refusal takes does not depend on its reason: a wrong password, a missing and an unreadable
 * hash compute the same hashes.
 */
import { randomBytes } from 'node:crypto';
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { clientNetwork } from '../limits/limit-key.js';
import { writePasswordHash, writtenHash, writtenSalt } from '../password-hash/password-hash.js';
import { serviceLog } from '../server/service-log.js';
import { noteSecret } from '../values/secret-values.js';
import type { HashJob } from './hash-job.js';
import { HashThreads, type HashClient } from './hash-threads.js';
import { createdKind, isSameKind, readStoredHash, type HashKind, type StoredHash } from './stored-hash.js';

/** Maximum bytes of a password, as UTF-8. */
const longestPassword = 1024;
/** Milliseconds for which a kind of hash counts after it has been met. */
const remembered = 60 * 60 * 1000;
/** Maximum number of kinds that count at the same time: the latest ones. */
const mostKinds = 4;

/** Milliseconds between two log entries about hashes that cannot be verified. */
const logPause = 60_000;

const threads = new HashThreads();

/** The parts of a call that hashing reads: its client, and whether the client is still waiting. */
export type HashingCall = Pick<Call, 'address' | 'root' | 'onDisconnect' | 'proceed'>;

/** The client whose request started the call; undefined without a request. Throws the errors of `proceed`. */
export function clientOf(call: HashingCall): HashClient | undefined {
  call.proceed();
  if ((call.root ?? call).address === undefined) return undefined;
  const onDisconnect = call.onDisconnect?.bind(call);
  return { network: clientNetwork(call).text, ...(onDisconnect && { onDisconnect }) };
}

/**
 * The scrypt hash of a password, in the format of `passwordHash`. Throws a ServiceError: 400 for a value that is no string, has more than 1,024
 * bytes or a NUL, 503 if too many hashes are being computed, and those of `proceed`.
 */
export async function hashPassword(call: HashingCall, value: Json | undefined): Promise<string> {
  if (typeof value !== 'string') throw new ServiceError(400, 'The password is not a string');
  const salt = Uint8Array.from(randomBytes(writtenSalt));
  const job = { task: 'hash', kind: createdKind, password: passwordOf(value), salt } as const;
  const result = await threads.run(job, clientOf(call));
  if (!('hash' in result)) throw new Error('A hash was asked for.');
  const hash = writePasswordHash(salt, result.hash);
  noteSecret(hash);
  return hash;
}

/** Whether a hash is not of the kind that `hashPassword` creates: the service can then hash the password again. */
export function isOutdated(hash: Json | undefined): boolean {
  const stored = readStoredHash(hash ?? null);
  if (typeof stored === 'string') return true;
  const isLong = stored.salt.length >= writtenSalt && stored.hash.length >= writtenHash;
  return !isLong || !isSameKind(stored.kind, createdKind);
}

/** Verifies passwords against the hashes of one place, such as a column. Hashes of several kinds can be in it at the same time. */
export class PasswordVerifier {
  /** The kinds of hashes met in the last hour, by the end of that hour in milliseconds of `performance.now()`. */
  #met: readonly { readonly kind: HashKind; readonly until: number }[] = [];
  #logged = -Infinity;

  constructor(private readonly hashing: Pick<HashThreads, 'run'> = threads) {}

  /**
   * Whether the hash is that of the password. A value that is no string is wrong. Throws a ServiceError: 400 for more than 1,024 bytes or
   * a NUL, 503 if too many hashes are being computed.
   */
  async verify(value: Json, hash: Json, client?: HashClient): Promise<boolean> {
    const password = typeof value === 'string' ? passwordOf(value) : undefined;
    const stored = this.#usable(hash);
    const kinds = this.#kindsWith(stored?.kind);
    const isCompared = password !== undefined && stored !== undefined;
    const job: HashJob = {
      task: 'verify',
      password: password ?? '',
      stored: isCompared ? stored : undefined,
      // The time of all kinds together is the same for every refusal; that of the slowest alone would reveal hashes of a faster kind.
      others: isCompared ? kinds.filter((kind) => !isSameKind(kind, stored.kind)) : kinds,
    };
    const result = await this.hashing.run(job, client);
    return 'isRight' in result && result.isRight;
  }

  #usable(hash: Json): StoredHash | undefined {
    const stored = readStoredHash(hash);
    if (typeof stored !== 'string') return stored;
    const now = performance.now();
    if (stored !== 'missing' && now - this.#logged > logPause) {
      this.#logged = now;
      serviceLog()?.warn({ problem: stored }, 'the stored hash of a password cannot be verified');
    }
    return undefined;
  }

  /** The kinds of hashes that a refusal computes: the kinds of the last hour, or at first the kind of new hashes. */
  #kindsWith(kind: HashKind | undefined): readonly HashKind[] {
    const now = performance.now();
    const others = this.#met.filter(
      (met) => met.until > now && !(kind !== undefined && isSameKind(met.kind, kind)),
    );
    const current = kind === undefined ? [] : [{ kind, until: now + remembered }];
    this.#met = [...current, ...others].slice(0, mostKinds);
    return this.#met.length === 0 ? [createdKind] : this.#met.map((met) => met.kind);
  }
}

const verifier = new PasswordVerifier();

/** Verifies a password like `PasswordVerifier.verify`, for all hashes of the service. */
export async function verifyPassword(
  call: HashingCall,
  value: Json | undefined,
  hash: Json | undefined,
): Promise<boolean> {
  if (typeof hash === 'string') noteSecret(hash);
  return verifier.verify(value ?? null, hash ?? null, clientOf(call));
}

/** Whether a string can be a password. */
export function isPassword(value: string): boolean {
  return problemOf(value.normalize('NFC')) === undefined;
}

/** In Unicode Normalization Form C, as HTTP Basic sends passwords. */
function passwordOf(value: string): string {
  noteSecret(value);
  const password = value.normalize('NFC');
  const problem = problemOf(password);
  if (problem !== undefined) throw new ServiceError(400, `The password has ${problem}`);
  return password;
}

function problemOf(password: string): string | undefined {
  if (Buffer.byteLength(password) > longestPassword) return `more than ${longestPassword} bytes`;
  return password.includes('\0') ? 'a NUL character' : undefined;
}
