/** Checks the address of a token server. The compiler and the service use the same check. */
import { isSecureAddress } from '../server/secure-address.js';

/** Why it is not valid, as the end of a sentence. */
export function problemOfTokenUrl(address: string): string | undefined {
  if (!URL.canParse(address)) return 'is not a URL';
  if (!isSecureAddress(address)) return 'must begin with https: it receives the secret of the client';
  const { username, password, hash } = new URL(address);
  if (username !== '' || password !== '') return 'has a user or password: write clientId and clientSecret';
  return hash === '' ? undefined : 'has a fragment (#), which is never sent';
}
