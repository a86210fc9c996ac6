/** Computes password hashes, in the current thread: it is busy for up to a second. */
import { pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto';
import { scryptCost } from '../password-hash/password-hash.js';
import type { HashKind, StoredHash } from './stored-hash.js';

/** Bytes of a password that bcrypt uses. */
const bcryptBytes = 72;
/** Bytes of a hash of bcrypt; the library also returns a byte that hashes omit. */
const bcryptLength = 23;

/** Whether the hash is that of the password. */
export async function isHashOf(password: string, { kind, salt, hash }: StoredHash): Promise<boolean> {
  const computed = await computeHash(kind, password, salt, hash.length);
  // The library cannot compute argon2id of an empty password.
  const isComparable = password !== '' || kind.algorithm !== 'argon2id';
  return computed.length === hash.length && timingSafeEqual(computed, hash) && isComparable;
}

/** The hash of a password, in bytes. The package for bcrypt and argon2id is loaded when the first such hash is computed. */
export async function computeHash(
  kind: HashKind,
  password: string,
  salt: Uint8Array,
  length: number,
): Promise<Uint8Array> {
  switch (kind.algorithm) {
    case 'scrypt':
      return scryptSync(password, salt, length, scryptCost(kind));
    case 'pbkdf2':
      return pbkdf2Sync(password, salt, kind.iterations, length, 'sha256');
    case 'bcrypt': {
      const { bcrypt } = await import('hash-wasm');
      const bytes = Buffer.from(password).subarray(0, bcryptBytes);
      // The key ends with a zero byte and is repeated, so an empty one and a zero byte are the same.
      const key = bytes.length === 0 ? new Uint8Array(1) : bytes;
      const made = await bcrypt({ password: key, salt, costFactor: kind.cost, outputType: 'binary' });
      return made.subarray(0, bcryptLength);
    }
    case 'argon2id': {
      const { argon2id } = await import('hash-wasm');
      return argon2id({
        password: password === '' ? new Uint8Array(1) : password,
        salt,
        memorySize: kind.memory,
        iterations: kind.passes,
        parallelism: kind.lanes,
        hashLength: length,
        outputType: 'binary',
      });
    }
  }
}
