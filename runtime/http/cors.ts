/** CORS: allows pages of other origins to call the service (CORS_ORIGIN; Fetch standard, CORS protocol). */
import type { IncomingMessage } from 'node:http';
import { sendJson } from './send-response.js';
import type { Exchange } from './exchange.js';
import type { ToolEndpoint } from './fallback.js';
import { pathAndQuery } from './request-target.js';
import type { Router } from './router.js';

/** Response headers that pages may read, in addition to those that are always readable. */
const exposed = 'X-Request-Id, Retry-After';
/** Seconds for which a browser may cache a preflight response. */
const maxAge = '600';

const headerNames = /^[\w!#$%&'*+.^`|~, \t-]+$/;

export class Cors {
  private readonly isForAll: boolean;
  private readonly origins: ReadonlySet<string>;

  /** `origins` are in the form that browsers send, or only `*`. With `*`, browsers do not send stored credentials. */
  constructor(
    origins: readonly string[],
    private readonly router: Router,
    private readonly tools?: ToolEndpoint,
  ) {
    this.isForAll = origins.includes('*');
    this.origins = new Set(origins);
  }

  /**
   * Sets the CORS headers of the response. Returns true if the request was a preflight, which browsers send without credentials, and
   * the response has been sent. Throws a ServiceError 400 for a malformed path.
   */
  respond(exchange: Exchange): boolean {
    const { request, response } = exchange;
    const { origin } = request.headers;
    if (!this.isForAll) response.appendHeader('Vary', 'Origin');
    if (origin === undefined || !(this.isForAll || this.origins.has(origin))) return false;
    response.setHeader('Access-Control-Allow-Origin', this.isForAll ? '*' : origin);
    if (!this.isForAll) response.setHeader('Access-Control-Allow-Credentials', 'true');
    if (isPreflight(request)) return this.respondToPreflight(exchange);
    response.setHeader('Access-Control-Expose-Headers', exposed);
    return false;
  }

  /** Leaves paths without operations to user code, which may serve them. */
  private respondToPreflight(exchange: Exchange): boolean {
    const { headers, url = '' } = exchange.request;
    const { path } = pathAndQuery(url);
    // The method is empty, so the result lists all methods of the path.
    const ofTools = this.tools?.methods(path) ?? [];
    const allow = ofTools.length > 0 ? ofTools : this.router.find('', path).allow;
    if (allow.length === 0) return false;
    const wanted = headers['access-control-request-headers'];
    const allowed =
      wanted !== undefined && headerNames.test(wanted) ? ['Access-Control-Allow-Headers', wanted] : [];
    exchange.response.appendHeader('Vary', 'Access-Control-Request-Headers');
    sendJson(exchange, 204, undefined, [
      ...['Access-Control-Allow-Methods', allow.join(', ')],
      ...allowed,
      ...['Access-Control-Max-Age', maxAge],
    ]);
    return true;
  }
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
