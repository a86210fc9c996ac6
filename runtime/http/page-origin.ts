/** Determines from a browser's headers which page has sent a request. All rules about origins use this function. */
import type { IncomingHttpHeaders } from 'node:http';

/**
 * `known`: a page of the service itself or of CORS_ORIGIN; `other`: a page of any other origin; `none`: no header of a page, as in requests
 * of programs.
 */
export type Sender = 'known' | 'other' | 'none';

/** Whether the method never changes anything. */
export function isSafe(method = ''): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/**
 * `origins` as `originsIn` returns them. `*` does not make any origin known, because it does not name a page that may use the credentials
 * of a browser.
 */
export function senderOf(
  { origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders,
  origins: ReadonlySet<string>,
): Sender {
  if (origin !== undefined && origins.has(normalOrigin(origin))) return 'known';
  // Checked first, because the browser compares URLs as it sees them. The `Host` from a proxy often lacks scheme and port.
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
