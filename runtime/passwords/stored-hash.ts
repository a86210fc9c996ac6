/** Password hashes as databases store them: scrypt, bcrypt, argon2id, and PBKDF2 of Django. Reading never throws. */
import type { Json } from '../handler/json.js';
import { readScryptHash, writtenCost } from '../password-hash/password-hash.js';

/** The algorithm of a hash with its parameters. */
export type HashKind =
  | { readonly algorithm: 'scrypt'; readonly ln: number; readonly r: number; readonly p: number }
  | { readonly algorithm: 'bcrypt'; readonly cost: number }
  /** `memory` in KiB. */
  | {
      readonly algorithm: 'argon2id';
      readonly memory: number;
      readonly passes: number;
      readonly lanes: number;
    }
  | { readonly algorithm: 'pbkdf2'; readonly iterations: number };

export interface StoredHash {
  readonly kind: HashKind;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** The kind of the hashes that `hashPassword` creates. */
export const createdKind: HashKind = { algorithm: 'scrypt', ...writtenCost };

/** Maximum characters of a hash. */
const longest = 512;
/** Maximum `t` × `m` of argon2id, in KiB. */
const maxArgon2 = 512 * 1024;
/** Maximum parallelism of argon2id. */
const maxLanes = 255;
const maxBcryptCost = 14;
/** About the time of the other limits: several times as many as Django uses. */
const maxIterations = 5_000_000;

const readers: Readonly<Record<string, (text: string) => StoredHash | UnusableHash>> = {
  $scrypt$: ofScrypt,
  $2a$: ofBcrypt,
  $2b$: ofBcrypt,
  $2y$: ofBcrypt,
  $argon2id$: ofArgon2,
  pbkdf2_sha256$: ofPbkdf2,
};

/** Why a hash is not verified. */
export type UnusableHash = 'missing' | 'unreadable' | 'too costly';

/** Reads a hash. A hash whose parameters would take too much memory or time is too costly. */
export function readStoredHash(written: Json): StoredHash | UnusableHash {
  if (written === null) return 'missing';
  if (typeof written !== 'string' || written.length > longest) return 'unreadable';
  const [prefix = ''] = /^(?:\$\w{1,10}|pbkdf2_sha256)\$/.exec(written) ?? [];
  const read = Object.hasOwn(readers, prefix) ? readers[prefix] : undefined;
  return read?.(written) ?? 'unreadable';
}

/** Whether two kinds are the same algorithm with the same parameters: hashes of both take the same time. */
export function isSameKind(a: HashKind, b: HashKind): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function ofScrypt(text: string): StoredHash | UnusableHash {
  const read = readScryptHash(text);
  if (typeof read === 'string') return read === 'costly' ? 'too costly' : 'unreadable';
  const { ln, r, p, salt, hash } = read;
  return { kind: { algorithm: 'scrypt', ln, r, p }, salt: copied(salt), hash: copied(hash) };
}

function ofBcrypt(text: string): StoredHash | UnusableHash {
  const [, cost = '', salt = '', hash = ''] =
    /^\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/.exec(text) ?? [];
  if (hash === '' || Number(cost) < 4 || Number(cost) > 31) return 'unreadable';
  if (Number(cost) > maxBcryptCost) return 'too costly';
  return {
    kind: { algorithm: 'bcrypt', cost: Number(cost) },
    salt: copied(ofBcryptBase64(salt)),
    hash: copied(ofBcryptBase64(hash)),
  };
}

function ofArgon2(text: string): StoredHash | UnusableHash {
  const [, m = '', t = '', p = '', salt = '', hash = ''] =
    /^\$argon2id\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,10})\$([A-Za-z0-9+/]+)={0,2}\$([A-Za-z0-9+/]+)={0,2}$/.exec(
      text,
    ) ?? [];
  const [memory, passes, lanes] = [Number(m), Number(t), Number(p)];
  const bytes = { salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
  const isKnown = passes >= 1 && lanes >= 1 && memory >= 8 * lanes;
  if (!isKnown || !isBetween(bytes.salt.length, 8, 64) || !isBetween(bytes.hash.length, 16, 64))
    return 'unreadable';
  if (passes * memory > maxArgon2 || lanes > maxLanes) return 'too costly';
  return {
    kind: { algorithm: 'argon2id', memory, passes, lanes },
    salt: copied(bytes.salt),
    hash: copied(bytes.hash),
  };
}

function ofPbkdf2(text: string): StoredHash | UnusableHash {
  const [, iterations = '', salt = '', hash = ''] =
    /^pbkdf2_sha256\$([1-9]\d{0,9})\$([\x21-\x23\x25-\x7e]{1,128})\$([A-Za-z0-9+/]{43}=)$/.exec(text) ?? [];
  if (hash === '') return 'unreadable';
  if (Number(iterations) > maxIterations) return 'too costly';
  return {
    kind: { algorithm: 'pbkdf2', iterations: Number(iterations) },
    salt: copied(Buffer.from(salt)),
    hash: copied(Buffer.from(hash, 'base64')),
  };
}

function isBetween(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const bcryptAlphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Decodes the Base64 of bcrypt, which has another alphabet. */
function ofBcryptBase64(text: string): Buffer {
  const usual = Array.from(text, (character) => alphabet[bcryptAlphabet.indexOf(character)] ?? '');
  return Buffer.from(usual.join(''), 'base64');
}

/** Buffers can be parts of a pool, which would be copied to the thread as a whole. */
function copied(bytes: Buffer): Uint8Array {
  return Uint8Array.from(bytes);
}
