/** The last line of the hand-written servers: they print where they listen, as a generated service does. */
import type { AddressInfo } from 'node:net';

/** Prints the address for the one who started the server. */
export function logAddress(address: AddressInfo | string | null): void {
  if (typeof address === 'object' && address !== null)
    console.log(`listening on http://127.0.0.1:${address.port}`);
}
