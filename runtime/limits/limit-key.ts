/** The key under which a limit counts a request: values that databases treat as equal have the same key. */
import { isIPv6 } from 'node:net';
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';

/** The network of a client. IPv6 addresses are counted by their network of 64 bits, which one client can use as a whole. */
export class ClientNetwork {
  readonly text: string;

  constructor(address: string | null) {
    this.text = address === null ? '' : isIPv6(address) ? networkOf(address) : address;
  }
}

/** The network of the client whose request started the call. */
export function clientNetwork(call: Pick<Call, 'address' | 'root'>): ClientNetwork {
  return new ClientNetwork((call.root ?? call).address ?? null);
}

/** A value by which requests are counted. */
export type Counted = Json | ClientNetwork;

/** Maximum characters of a string by which requests are counted. */
const maxLength = 10_000;

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

/** Marks, control characters and characters without width, which collations ignore. */
const ignored = /[\p{M}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu;

/**
 * A string without differences that a database may ignore: surrounding spaces, marks, letter case and width. Without them, a client could
 * send the address of one account in many ways, each with a count of its own.
 */
export function folded(text: string): string {
  const plain = text.normalize('NFKD').replace(ignored, '').toLowerCase().toUpperCase();
  return plain
    .normalize('NFKD')
    .replace(ignored, '')
    .replace(unusual, (letter) => usual.get(letter) ?? letter)
    .trim();
}

/** Letters that decompositions keep, and collations of MySQL and MariaDB compare as equal to letters of ASCII. */
const usual: ReadonlyMap<string, string> = new Map([
  ['Æ', 'AE'],
  ['Ð', 'D'],
  ['Ø', 'O'],
  ['Đ', 'D'],
  ['Ħ', 'H'],
  ['Ł', 'L'],
  ['Œ', 'OE'],
]);
const unusual = new RegExp(`[${[...usual.keys()].join('')}]`, 'gu');

/** The first four of the eight groups of an IPv6 address in its compressed form. */
function networkOf(address: string): string {
  const [left = '', right] = address.split('::');
  const groups = left === '' ? [] : left.split(':');
  const missing = right === undefined ? 0 : 8 - groups.length - (right === '' ? 0 : right.split(':').length);
  const whole = [...groups, ...Array<string>(missing).fill('0'), ...(right ? right.split(':') : [])];
  return `${whole.slice(0, 4).join(':')}::/64`;
}
