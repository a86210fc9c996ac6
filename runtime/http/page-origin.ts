/** Determines the page that sent a request, from the headers of the browser. All origin checks use this function. */
import type { IncomingHttpHeaders } from 'node:http';

/**
 * `known`: a page of the service itself or of CORS_ORIGIN; `other`: a page of any other origin; `none`: headers of a page are missing,
 * as in requests from programs.
 */
export type Sender = 'known' | 'other' | 'none';

/** Whether requests with this method never change data. */
export function isSafe(method = ''): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/**
 * `origins` are those returned by `originsIn`. `*` does not make an origin known, because it does not name the pages that may use the
 * credentials of a browser.
 */
export function senderOf(
  { origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders,
  origins: ReadonlySet<string>,
): Sender {
  if (origin !== undefined && origins.has(normalOrigin(origin))) return 'known';
  // Checked first, because browsers compare actual URLs. The `Host` header from a proxy often differs in scheme and port.
  if (site === 'same-origin') return 'known';
  if (site === 'cross-site' || site === 'same-site') return 'other';
  if (origin === undefined) return 'none';
  // Behind a proxy, the service does not know whether its pages use https.
  const scheme = /^https?:\/\//i.exec(origin)?.[0];
  const isOwn = scheme !== undefined && normalOrigin(origin) === normalOrigin(scheme + (host ?? ''));
  return isOwn ? 'known' : 'other';
}

/** Parses a list of origins, such as CORS_ORIGIN. */
export function originsIn(text = ''): string[] {
  return text
    .split(/[\s,]+/)
    .filter((written) => written !== '')
    .map(normalOrigin);
}

/** An origin in the form that browsers send: in lower case, without a default port. */
function normalOrigin(text: string): string {
  return text.toLowerCase().replace(/^(http:.*):80$|^(https:.*):443$/, '$1$2');
}
