/** RANDOM: random bytes as a string, new at each evaluation. */
import { randomBytes } from 'node:crypto';
import { noteSecret } from './secret-values.js';

/** The forms of random bytes. */
type RandomForm = 'base64url' | 'hex';

/** Replaced by `apikiln test`, so that tests can control the values. */
export const randoms = {
  next: (bytes: number, form: RandomForm): string => randomBytes(bytes).toString(form),
};

/** Random bytes as base64url without padding, or in lower-case hexadecimal. */
export function randomText(bytes: number, form: RandomForm = 'base64url'): string {
  const value = randoms.next(bytes, form);
  noteSecret(value);
  return value;
}
