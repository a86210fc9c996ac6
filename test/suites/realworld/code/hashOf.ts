/** Hashes a password for storage: a salt, and the result of scrypt. */
import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { fail } from '@apikiln/runtime';
import type { HashOfInput, HashOfResult } from '../functions.js';

const keyOf = promisify(scrypt);

export async function hashOf(password: HashOfInput): Promise<HashOfResult> {
  if (password === null) throw fail(422, 'An account has a password');
  const salt = randomBytes(16);
  return `${salt.toString('hex')}:${(await derived(password, salt)).toString('hex')}`;
}

export async function derived(password: string, salt: Buffer): Promise<Buffer> {
  return (await keyOf(password, salt, 32)) as Buffer;
}
