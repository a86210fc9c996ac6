/** Hashes of passwords: `$scrypt$ln=15,r=8,p=1$salt$hash`, with Base64 (PHC string format). The compiler reads them too. */

/** A hash, and how it was made. */
export interface PasswordHash {
  /** As `crypto.scrypt` takes it. */
  readonly cost: { readonly N: number; readonly r: number; readonly p: number; readonly maxmem: number };
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const form =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,}={0,2})\$([A-Za-z0-9+/]{21,}={0,2})$/;
/** Bytes of memory for one password. */
const maxMemory = 128 * 1024 * 1024;

/** Undefined if it is not such a hash, is too weak, or needs more than 128 MiB. */
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

/** Why a string is not such a hash, as the end of a sentence, without the string. */
export function problemOfPasswordHash(text: string): string | undefined {
  return readPasswordHash(text) === undefined
    ? 'is not a hash of scrypt such as $scrypt$ln=15,r=8,p=1$…$…, with at most 128 MiB'
    : undefined;
}
