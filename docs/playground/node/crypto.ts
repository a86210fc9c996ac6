/** `node:crypto`: the functions that the runtime and pg use synchronously. */
import { Buffer } from 'buffer';
import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { md5, sha1 } from '@noble/hashes/legacy.js';
import { pbkdf2 } from '@noble/hashes/pbkdf2.js';
import { scrypt as nobleScrypt } from '@noble/hashes/scrypt.js';
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';

const algorithms = { md5, sha1, sha256, sha384, sha512 } as const;

type Encoding = 'hex' | 'base64' | 'base64url' | 'latin1' | 'buffer';
type Data = string | Uint8Array;

function algorithm(name: string): (typeof algorithms)['sha256'] {
  const found = algorithms[name.toLowerCase().replace('-', '') as keyof typeof algorithms];
  return found as (typeof algorithms)['sha256'];
}

const bytesOf = (data: Data): Uint8Array => (typeof data === 'string' ? Buffer.from(data) : data);
const encoded = (bytes: Uint8Array, encoding?: Encoding): string | Buffer =>
  encoding === undefined || encoding === 'buffer'
    ? Buffer.from(bytes)
    : Buffer.from(bytes).toString(encoding);

class Digest {
  constructor(private readonly state: { update(data: Uint8Array): unknown; digest(): Uint8Array }) {}

  update(data: Data): this {
    this.state.update(bytesOf(data));
    return this;
  }

  digest(encoding?: Encoding): string | Buffer {
    return encoded(this.state.digest(), encoding);
  }
}

export const createHash = (name: string): Digest => new Digest(algorithm(name).create());
export const createHmac = (name: string, key: Data): Digest =>
  new Digest(hmac.create(algorithm(name), bytesOf(key)));
export const hash = (name: string, data: Data, encoding: Encoding = 'hex'): string | Buffer =>
  encoded(algorithm(name)(bytesOf(data)), encoding);

export const randomUUID = (): string => crypto.randomUUID();
export const randomBytes = (count: number): Buffer =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(count)));
export const randomInt = (from: number, to?: number): number => {
  const [low, high] = to === undefined ? [0, from] : [from, to];
  return low + (randomBytes(6).readUIntBE(0, 6) % (high - low));
};

export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) throw new RangeError('Input buffers must have the same byte length');
  return one.reduce((sum, byte, index) => sum | (byte ^ (other[index] ?? 0)), 0) === 0;
}

interface ScryptOptions {
  readonly N?: number;
  readonly r?: number;
  readonly p?: number;
  readonly cost?: number;
  readonly blockSize?: number;
  readonly parallelization?: number;
}

export function scryptSync(password: Data, salt: Data, length: number, options: ScryptOptions = {}): Buffer {
  const {
    N = options.cost ?? 16_384,
    r = options.blockSize ?? 8,
    p = options.parallelization ?? 1,
  } = options;
  return Buffer.from(
    nobleScrypt(bytesOf(password), bytesOf(salt), { N, r, p, dkLen: length, maxmem: 2 ** 30 }),
  );
}

export function scrypt(password: Data, salt: Data, length: number, ...rest: unknown[]): void {
  const done = rest.at(-1) as (error: unknown, key?: Buffer) => void;
  const options = rest.length > 1 ? (rest[0] as ScryptOptions) : {};
  queueMicrotask(() => {
    try {
      done(null, scryptSync(password, salt, length, options));
    } catch (error) {
      done(error);
    }
  });
}

export const pbkdf2Sync = (
  password: Data,
  salt: Data,
  rounds: number,
  length: number,
  name: string,
): Buffer =>
  Buffer.from(pbkdf2(algorithm(name), bytesOf(password), bytesOf(salt), { c: rounds, dkLen: length }));
export const hkdfSync = (name: string, key: Data, salt: Data, info: Data, length: number): ArrayBuffer =>
  hkdf(algorithm(name), bytesOf(key), bytesOf(salt), bytesOf(info), length).slice().buffer as ArrayBuffer;

function absent(): never {
  throw new Error('The playground has no public-key cryptography and no ciphers of Node');
}

export const createPublicKey = absent;
export const createPrivateKey = absent;
export const createSecretKey = absent;
export const createCipheriv = absent;
export const createDecipheriv = absent;
export const webcrypto = globalThis.crypto;
export class KeyObject {}
export default {
  createHash,
  createHmac,
  hash,
  randomUUID,
  randomBytes,
  randomInt,
  timingSafeEqual,
  webcrypto,
};
