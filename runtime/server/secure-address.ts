/**
 * Checks the addresses of servers that are trusted or receive secrets: https, or http on this machine. The compiler and the service
 * share these checks.
 */

/** Whether requests to this address are protected from reading and tampering on the network. False for an invalid URL. */
export function isSecureAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && ownMachine.test(hostname));
}

const ownMachine = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** The reason why the token URL is invalid, as the end of a sentence. */
export function problemOfTokenUrl(address: string): string | undefined {
  if (!URL.canParse(address)) return 'is not a URL';
  if (!isSecureAddress(address)) return 'must begin with https: it receives the secret of the client';
  const { username, password, hash } = new URL(address);
  if (username !== '' || password !== '') return 'has a user or password: write clientId and clientSecret';
  return hash === '' ? undefined : 'has a fragment (#), which is never sent';
}

/** The reason why the JWKS URL is invalid, as the end of a sentence. */
export function problemOfJwks(address: string): string | undefined {
  if (!URL.canParse(address)) return 'is not a URL';
  return isSecureAddress(address)
    ? undefined
    : 'must begin with https: otherwise an attacker in the network can replace the keys and make tokens';
}

/** Why a URL cannot be the public address of the endpoint of MCP clients, which clients compare with the URL that they call. */
export function problemOfMcpUrl(address: string): string | undefined {
  if (!URL.canParse(address)) return 'is not a URL';
  if (!isSecureAddress(address)) return 'must begin with https: clients send their tokens there';
  const { username, password } = new URL(address);
  return username === '' && password === '' && !/[?#]/.test(address)
    ? undefined
    : 'must not contain a user, a query or a fragment';
}
