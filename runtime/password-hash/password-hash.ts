/** Password hashes of scrypt in the PHC string format, with Base64: `$scrypt$ln=15,r=8,p=1$salt$hash`. Also used by the compiler. */

/** A hash with its parameters. */
export interface PasswordHash {
  /** The parameters for `crypto.scrypt`. */
  readonly cost: ScryptCost;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  /** Bytes. */
  readonly maxmem: number;
}

/** The parameters as written in a hash. */
interface WrittenCost {
  /** The logarithm of N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

const form =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,}={0,2})\$([A-Za-z0-9+/]{21,}={0,2})$/;
/** Maximum bytes of memory for hashing a password. */
const maxMemory = 128 * 1024 * 1024;

/** The parameters of new hashes: about 32 MiB and 0.1 s per password. */
export const writtenCost: WrittenCost = { ln: 15, r: 8, p: 1 };
/** Bytes of the salt and the hash of new hashes. */
export const writtenSalt = 16;
export const writtenHash = 32;

/** Parses a hash; undefined if it is invalid, too weak, or needs more than 128 MiB. */
export function readPasswordHash(text: string): PasswordHash | undefined {
  const read = readScryptHash(text);
  if (typeof read === 'string') return undefined;
  return { cost: scryptCost(read), salt: read.salt, hash: read.hash };
}

/** A hash with its written parameters; `costly` if it needs more than 128 MiB or p of 16, `invalid` if it is invalid or too weak. */
export function readScryptHash(
  text: string,
): (WrittenCost & { readonly salt: Buffer; readonly hash: Buffer }) | 'invalid' | 'costly' {
  const [, ln, r, p, salt = '', hash = ''] = form.exec(text) ?? [];
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  if (!(cost.ln >= 10 && cost.r >= 1 && cost.p >= 1)) return 'invalid';
  if (cost.p > 16 || 128 * 2 ** cost.ln * cost.r > maxMemory) return 'costly';
  return { ...cost, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
}

/** The parameters for `crypto.scrypt`. */
export function scryptCost({ ln, r, p }: WrittenCost): ScryptCost {
  const N = 2 ** ln;
  return { N, r, p, maxmem: 256 * N * r + 1024 * 1024 };
}

/** Writes a new hash, made with `writtenCost`. */
export function writePasswordHash(salt: Uint8Array, hash: Uint8Array): string {
  const { ln, r, p } = writtenCost;
  const [saltText, hashText] = [salt, hash].map((part) => Buffer.from(part).toString('base64'));
  return `$scrypt$ln=${ln},r=${r},p=${p}$${saltText}$${hashText}`;
}

/** The reason why a string is not a valid hash, as the end of a sentence that does not contain the string. */
export function problemOfPasswordHash(text: string): string | undefined {
  return readPasswordHash(text) === undefined
    ? 'is not a hash of scrypt such as $scrypt$ln=15,r=8,p=1$…$…, with at most 128 MiB'
    : undefined;
}
