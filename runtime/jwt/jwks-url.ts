/** Checks the address of the keys of an issuer. The compiler and the service use the same check. */
import { isSecureAddress } from '../server/secure-address.js';

/** Why it is not valid, as the end of a sentence. */
export function problemOfJwks(address: string): string | undefined {
  if (!URL.canParse(address)) return 'is not a URL';
  return isSecureAddress(address)
    ? undefined
    : 'must begin with https: otherwise an attacker in the network can replace the keys and make tokens';
}
