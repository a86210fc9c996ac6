/** Which page has sent a request, as its browser says: all rules about origins ask this function. */
import type { IncomingHttpHeaders } from 'node:http';

/** `known`: of the service itself or of CORS_ORIGIN; `other`: of any other origin; `none`: nothing says that a page has sent it, as of programs. */
export type Sender = 'known' | 'other' | 'none';

/** Methods that change nothing. */
export function isSafe(method = ''): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** `origins` as `originsIn` returns them; `*` is none of them, since it names nobody who may use the credentials of a browser. */
export function senderOf(
  { origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders,
  origins: ReadonlySet<string>,
): Sender {
  if (origin !== undefined && origins.has(normalOrigin(origin))) return 'known';
  // A browser compares its own URLs. A proxy sends `Host`, often without scheme and port.
  if (site === 'same-origin') return 'known';
  if (site === 'cross-site' || site === 'same-site') return 'other';
  if (origin === undefined) return 'none';
  // After a proxy the service does not know whether its pages are https.
  const scheme = /^https?:\/\//i.exec(origin)?.[0];
  const isOwn = scheme !== undefined && normalOrigin(origin) === normalOrigin(scheme + (host ?? ''));
  return isOwn ? 'known' : 'other';
}

/** The origins of a list such as CORS_ORIGIN. */
export function originsIn(text = ''): string[] {
  return text
    .split(/[\s,]+/)
    .filter((written) => written !== '')
    .map(normalOrigin);
}

/** As browsers write it: in lower case, without a default port. */
function normalOrigin(text: string): string {
  return text.toLowerCase().replace(/^(http:.*):80$|^(https:.*):443$/, '$1$2');
}
