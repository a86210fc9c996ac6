/** Map keys for request values, with a random seed, so that clients cannot slow down a map with colliding values. */
import { randomInt } from 'node:crypto';

/** Different in each process. The factors are odd, so that different numbers have different keys. */
const [seed, first, second] = [randomInt(2 ** 31), 2 * randomInt(2 ** 30) + 1, 2 * randomInt(2 ** 30) + 1];

/**
 * The key of a number or string. Different values have different keys; 7 and "7" are different values. V8 hashes strings with a seed,
 * but integers and strings of short integers without one.
 */
export function mapKey(value: number | string): number | string {
  if (typeof value === 'string') return mayBeIndex(value) ? `_${value}` : value;
  const integer = value | 0;
  if (integer !== value) return `#${value}`;
  const mixed = Math.imul(integer ^ seed, first);
  return Math.imul(mixed ^ (mixed >>> 15), second);
}

/**
 * Whether V8 may treat the string as an array index. Also true for strings that begin with `_` or `#`, which must not equal the key of
 * another value.
 */
function mayBeIndex(text: string): boolean {
  const code = text.charCodeAt(0);
  return (code >= 48 && code <= 57) || code === 95 || code === 35;
}
