/** Which hosts `apikiln dev` responds to: a page whose name was pointed to this machine (DNS rebinding) must not read or write through it. */
import { isIP } from 'node:net';

/** `header` is the Host of the request, `bound` the address or name that is listened on. A request without Host is no browser's. */
export function isOwnHost(header: string | undefined, bound: string): boolean {
  if (header === undefined) return true;
  const name = header.toLowerCase().replace(/:\d*$/, '');
  const host = /^\[(.*)\]$/.exec(name)?.[1] ?? name;
  if (host === '127.0.0.1' || host === '::1' || host === 'localhost' || host.endsWith('.localhost'))
    return true;
  // An address cannot be pointed elsewhere.
  if (bound === '0.0.0.0' || bound === '::') return isIP(host) !== 0;
  return host === bound.toLowerCase();
}
