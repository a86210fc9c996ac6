/** The address of the client of a request (ADDRESS): the address of the connection, or the address reported by trusted proxies. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { Call } from '../handler/call.js';
import type { Log } from '../server/log.js';
import { withoutSpace } from './header-space.js';

/** The proxies whose `X-Forwarded-For` is read. */
export class TrustedProxies {
  private readonly list = new BlockList();
  private isEmpty = true;

  /** Adds an address (`10.0.0.7`, `::1`) or a network (`10.0.0.0/8`). Returns the problem of an invalid one, as the end of a sentence. */
  add(written: string): string | undefined {
    const [text = '', bits, ...more] = written.split('/');
    const address = normalAddress(text);
    if (address === undefined || more.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits)))
      return 'is not an address or network';
    const family = familyOf(address);
    const longest = family === 'ipv4' ? 32 : 128;
    // A network of IPv4 addresses in the notation of IPv6: ::ffff:10.0.0.0/104.
    const isMapped = family === 'ipv4' && !isIPv4(text);
    const prefix = bits === undefined ? longest : Number(bits) - (isMapped ? 96 : 0);
    if (prefix > longest || prefix < 0) return 'is not a network: the number of bits is wrong';
    if (prefix === 0) return 'is a network of all addresses, so every client could send any address';
    this.list.addSubnet(address, prefix, family);
    this.isEmpty = false;
    return undefined;
  }

  has(address: string): boolean {
    return !this.isEmpty && this.list.check(address, familyOf(address));
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** Set once when the process starts. */
const current: { proxies: TrustedProxies; log: Pick<Log, 'warn'> | undefined; ipv6Bits: number } = {
  proxies: new TrustedProxies(),
  log: undefined,
  ipv6Bits: 64,
};

/** Trusts these proxies from now on. The log names the first other proxy that sends `X-Forwarded-For`. */
export function trustProxies(proxies: TrustedProxies, log: Pick<Log, 'warn'>): void {
  current.proxies = proxies;
  current.log = log;
}

/** From now on, IPv6 addresses with the same first bits, 32 to 64 of them, are one client of limits and of the threads of hashes. */
export function setClientBits(bits: number): void {
  current.ipv6Bits = bits;
}

/** The number of bits of an IPv6 address that identify one client. */
export function clientBits(): number {
  return current.ipv6Bits;
}

/** ADDRESS: the address of the client whose request started the call; null without a request. */
export function clientAddress(call: Pick<Call, 'address' | 'root'>): string | null {
  return (call.root ?? call).address ?? null;
}

/**
 * The address of the client in its normal form: IPv4, or IPv6 in lower case without a zone. Each proxy appends the address of its own client
 * to `X-Forwarded-For`, so the list is read from its end, up to the first address that is not a trusted proxy. Null if the client has
 * disconnected.
 */
export function addressOf({ socket, headers }: Pick<IncomingMessage, 'headers' | 'socket'>): string | null {
  const peer = normalAddress(socket.remoteAddress ?? '') ?? null;
  const forwarded = headers['x-forwarded-for'];
  if (peer === null || forwarded === undefined) return peer;
  if (!current.proxies.has(peer)) {
    logUntrusted(peer);
    return peer;
  }
  return furthestIn(String(forwarded), peer);
}

/** Maximum number of proxies between a client and the service. A trusted client could send a list that takes long to read. */
const maxProxies = 32;

function furthestIn(forwarded: string, peer: string): string {
  let address = peer;
  let end = forwarded.length;
  for (let count = 0; end >= 0 && count < maxProxies; count += 1) {
    const comma = end === 0 ? -1 : forwarded.lastIndexOf(',', end - 1);
    const written = normalAddress(withoutPort(withoutSpace(forwarded.slice(comma + 1, end))));
    if (written === undefined) return peer;
    address = written;
    if (!current.proxies.has(address)) return address;
    end = comma;
  }
  return address;
}

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const [, inBrackets, beforePort] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? [];
  return inBrackets ?? beforePort ?? text;
}

/** Undefined if the text is not an address. */
function normalAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return undefined;
  const [plain = ''] = text.split('%');
  const compressed = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(compressed) ?? [];
  if (high === undefined || low === undefined) return compressed;
  return ipv4Of([high, low]);
}

/** The IPv4 address in the last two groups of an IPv6 address. */
export function ipv4Of(groups: readonly string[]): string {
  return groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

function logUntrusted(peer: string): void {
  const { log } = current;
  current.log = undefined;
  log?.warn(
    { address: peer },
    'X-Forwarded-For is ignored, because TRUSTED_PROXIES does not contain the address that sends it: all clients of a proxy count as one',
  );
}
