/** The key under which a limit counts a request: values that databases treat as equal have the same key. */
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { clientAddress, clientBits, ipv4Of } from '../http/client-address.js';
import { equalCharacters } from './equal-characters.js';

/** The network of a client. IPv6 addresses are counted by their network (CLIENT_IPV6_BITS, usually 64), which one client can use as a whole. */
export class ClientNetwork {
  readonly text: string;

  constructor(address: string | null) {
    this.text = address === null ? '' : address.includes(':') ? networkOf(address) : address;
  }
}

/** The network of the client whose request started the call. */
export function clientNetwork(call: Pick<Call, 'address' | 'root'>): ClientNetwork {
  return new ClientNetwork(clientAddress(call));
}

/** A value by which requests are counted. */
export type Counted = Json | ClientNetwork;

/** Maximum characters of a string by which requests are counted. Users and the digests of keys are never longer. */
const maxLength = 1_024;

/**
 * The key of these values. Null counts as the network of the client. Throws a ServiceError 400 for a list or object, or a string that is too
 * long.
 */
export function keyOf(values: readonly Counted[], network: ClientNetwork): string {
  return JSON.stringify(values.map((value) => partOf(value ?? network)));
}

function partOf(value: Exclude<Counted, null>): readonly [kind: 'network' | 'value', text: string] {
  if (value instanceof ClientNetwork) return ['network', value.text];
  if (typeof value === 'object')
    throw new ServiceError(400, 'A list or object was sent where a single value is expected');
  const text = String(value);
  if (text.length > maxLength)
    throw new ServiceError(
      400,
      `A value with more than ${maxLength} characters was sent where a short one is expected`,
    );
  return ['value', folded(text)];
}

/** White space, control characters and characters without width, which collations ignore, and single characters that some of them ignore. */
const ignored = /(?:[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}·]|\u0345|\u06DE|\u108D)+/gu;

/**
 * A string without differences that a database may ignore: spaces, marks, letter case, width, and the shape of letters and digits. Without
 * them, a client could send the address of one account in many ways, each with a separate count.
 */
export function folded(text: string): string {
  // Most values are plain, and the rest takes long.
  if (isVisibleAscii.test(text)) return text.toUpperCase().replaceAll(/S{2,}/g, 'S');
  const plain = text.normalize('NFKD').replace(ignored, '').toLowerCase().toUpperCase();
  const letters = isAscii.test(plain) ? plain : plain.normalize('NFKD').replace(others, plainOf);
  // Collations differ in whether `ß` is `ss` or `s`.
  return letters.replaceAll(/S{2,}/g, 'S');
}

const isVisibleAscii = /^[\x21-\x7E]*$/;
const isAscii = /^[\x20-\x7E]*$/;
const others = /[^\x20-\x7E]/gu;

/** The order of Unicode, in which a character is equal to the ASCII characters that it can stand for. */
const order = new Intl.Collator('und', { sensitivity: 'base' });
const plainLetters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');

/** Digits of an older order. */
const older: readonly (readonly [string, string])[] = [
  ['\u09F4', '1'],
  ['\u09F5', '2'],
  ['\u09F6', '3'],
  ['\u09F7', '4'],
];

/** Cached, because a comparison takes longer than the rest. */
const known = new Map([...older, ...equalCharacters()]);
const maxKnown = 6_000;

/** Drivers send it in place of half a surrogate pair. Some collations treat all characters outside the Basic Multilingual Plane as equal to it. */
const replacement = '\uFFFD';

/**
 * The ASCII letters or digits, at most two, that are equal to the character; empty if it is ignored. Other characters are represented by one
 * that is equal.
 */
function plainOf(character: string): string {
  const found = known.get(character);
  if (found !== undefined) return found;
  const plain = searchPlain(character);
  if (known.size < maxKnown) known.set(character, plain);
  return plain;
}

function searchPlain(character: string): string {
  if (/\p{Cs}/u.test(character)) return replacement;
  if (order.compare(`A${character}B`, 'AB') === 0) return '';
  const first = lastUpTo(character, '');
  const second = first === '' ? '' : lastUpTo(character, first);
  for (const plain of [first, second])
    if (plain !== '' && order.compare(plain, character) === 0) return plain;
  return character.length > 1 ? replacement : character;
}

/** The last string of `start` and one more letter that is not after the character; empty if there is none. */
function lastUpTo(character: string, start: string): string {
  let [low, high] = [0, plainLetters.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order.compare(start + (plainLetters[middle] ?? ''), character) <= 0) low = middle + 1;
    else high = middle;
  }
  const last = plainLetters[low - 1];
  return last === undefined ? '' : start + last;
}

/**
 * The network of an IPv6 address in its compressed form: the first four of its eight groups, without the bits of the client. An IPv4 client of a translator (64:ff9b::/96, RFC 6052) has
 * its IPv4 address: all of them are in one network.
 */
function networkOf(address: string): string {
  const [left = '', right] = address.split('::');
  const groups = left === '' ? [] : left.split(':');
  const last = right ? right.split(':') : [];
  const missing = right === undefined ? 0 : 8 - groups.length - last.length;
  const whole = [...groups, ...Array<string>(missing).fill('0'), ...last];
  if (whole.slice(0, 6).join(':') !== '64:ff9b:0:0:0:0') {
    const bits = clientBits();
    return `${networkGroups(whole, bits).join(':')}::/${bits}`;
  }
  return ipv4Of(whole.slice(6));
}

function networkGroups(groups: readonly string[], bits: number): readonly string[] {
  return groups.slice(0, 4).map((group, index) => {
    const kept = Math.min(16, Math.max(0, bits - 16 * index));
    const mask = (0xff_ff << (16 - kept)) & 0xff_ff;
    return (Number.parseInt(group, 16) & mask).toString(16);
  });
}
