/** Prints the address of a hand-written server in the format of generated services. */
import type { AddressInfo } from 'node:net';

/** Prints the address for the process that started the server. */
export function logAddress(address: AddressInfo | string | null): void {
  if (typeof address === 'object' && address !== null)
    console.log(`listening on http://127.0.0.1:${address.port}`);
}
