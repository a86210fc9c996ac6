/** Password hashes in the PHC string format, with Base64: `$scrypt$ln=15,r=8,p=1$salt$hash`. Also used by the compiler. */

/** A hash with its parameters. */
export interface PasswordHash {
  /** The parameters for `crypto.scrypt`. */
  readonly cost: { readonly N: number; readonly r: number; readonly p: number; readonly maxmem: number };
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const form =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,}={0,2})\$([A-Za-z0-9+/]{21,}={0,2})$/;
/** Maximum bytes of memory for hashing a password. */
const maxMemory = 128 * 1024 * 1024;

/** Parses a hash; undefined if it is invalid, too weak, or needs more than 128 MiB. */
export function readPasswordHash(text: string): PasswordHash | undefined {
  const [, ln, r, p, salt = '', hash = ''] = form.exec(text) ?? [];
  const cost = { N: 2 ** Number(ln), r: Number(r), p: Number(p) };
  const memory = 128 * cost.N * cost.r;
  const isKnown = Number(ln) >= 10 && cost.r >= 1 && cost.p >= 1 && cost.p <= 16 && memory <= maxMemory;
  if (!isKnown) return undefined;
  return {
    cost: { ...cost, maxmem: 2 * memory + 1024 * 1024 },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

/** The reason why a string is not a valid hash, as the end of a sentence that does not contain the string. */
export function problemOfPasswordHash(text: string): string | undefined {
  return readPasswordHash(text) === undefined
    ? 'is not a hash of scrypt such as $scrypt$ln=15,r=8,p=1$…$…, with at most 128 MiB'
    : undefined;
}
