/** Checks the address of the keys of an issuer. The compiler and the service use the same check. */

/** Why it is not valid, as the end of a sentence. */
export function problemOfJwks(address: string): string | undefined {
  if (!URL.canParse(address)) return 'is not a URL';
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:') return undefined;
  const isOwn = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  return protocol === 'http:' && isOwn
    ? undefined
    : 'must begin with https: otherwise an attacker in the network can replace the keys and make tokens';
}
