/** SHA-256 (FIPS 180-4), synchronous and without Node, because the browser API is asynchronous. For names, not for secrets. */

/** The first 32 fractional bits of a root of the first primes. */
function fractions(count: number, root: number): number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate += 1) {
    if (!isPrime(candidate)) continue;
    const power = candidate ** (1 / root);
    found.push(((power - Math.floor(power)) * 2 ** 32) | 0);
  }
  return found;
}

function isPrime(candidate: number): boolean {
  for (let divisor = 2; divisor * divisor <= candidate; divisor += 1)
    if (candidate % divisor === 0) return false;
  return true;
}

const initial = fractions(8, 2);
const constants = fractions(64, 3);

/** The hexadecimal digest of a string in UTF-8. */
export function sha256(text: string): string {
  const state = [...initial];
  const bytes = padded(new TextEncoder().encode(text));
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length; at += 64) addBlock(state, view, at);
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Padding to whole blocks of 64 bytes: a single 1 bit, zeros, and the length in bits. */
function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  all.set(bytes);
  all[bytes.length] = 0x80;
  new DataView(all.buffer).setBigUint64(all.length - 8, BigInt(bytes.length) * 8n);
  return all;
}

function addBlock(state: number[], view: DataView, start: number): void {
  const words = Array.from({ length: 16 }, (_, index) => view.getInt32(start + index * 4));
  const word = (index: number): number => words[index] ?? 0;
  for (let index = 16; index < 64; index += 1) {
    const [near, far] = [word(index - 2), word(index - 15)];
    const first = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
    const second = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
    words.push((word(index - 16) + first + word(index - 7) + second) | 0);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (const [index, constant] of constants.entries()) {
    const ofE = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const added = (h + ofE + ((e & f) ^ (~e & g)) + constant + word(index)) | 0;
    const ofA = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + added) | 0, c, b, a, (added + ofA + majority) | 0];
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries())
    state[index] = ((state[index] ?? 0) + value) | 0;
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
