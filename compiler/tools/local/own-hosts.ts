/**
 * Which hosts local servers respond to: a web page whose host name was redirected to this machine (DNS rebinding) must not read or write
 * through them.
 */

/** Matches the Host header. `bound` is the address or name that the server listens on. */
export function ownHosts(bound: string): RegExp {
  const name = bound.includes(':') ? `[${bound}]` : bound;
  // An IP address cannot be rebound.
  const others =
    bound === '0.0.0.0' || bound === '::'
      ? String.raw`(?:\d+\.){3}\d+|\[[\da-f:.]+\]`
      : name.replace(/[^\w-]/g, String.raw`\$&`);
  return new RegExp(
    String.raw`^(?:localhost|[^:]+\.localhost|127\.0\.0\.1|\[::1\]|${others})(?::\d*)?$`,
    'i',
  );
}

/** Browsers always send a Host header. */
export function isForOwnHost(host: string | undefined, own: RegExp): boolean {
  return host === undefined || own.test(host);
}
