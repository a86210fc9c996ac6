/** Which hosts servers of this machine respond to: a page whose name was pointed to it (DNS rebinding) must not read or write through them. */

/** Matches the header Host. `bound` is the address or name that is listened on. */
export function ownHosts(bound: string): RegExp {
  const name = bound.includes(':') ? `[${bound}]` : bound;
  // An address cannot be pointed elsewhere.
  const others =
    bound === '0.0.0.0' || bound === '::'
      ? String.raw`(?:\d+\.){3}\d+|\[[\da-f:.]+\]`
      : name.replace(/[^\w-]/g, String.raw`\$&`);
  return new RegExp(
    String.raw`^(?:localhost|[^:]+\.localhost|127\.0\.0\.1|\[::1\]|${others})(?::\d*)?$`,
    'i',
  );
}

/** A request without Host is no browser's. */
export function isForOwnHost(host: string | undefined, own: RegExp): boolean {
  return host === undefined || own.test(host);
}
