/** Addresses of servers to which secrets are sent, or which are believed: https, or http on this machine. */

/** Whether nobody in the network can read or change what is sent there. False for what is not a URL. */
export function isSecureAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && ownMachine.test(hostname));
}

const ownMachine = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
