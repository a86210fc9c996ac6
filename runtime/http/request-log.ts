/** One entry of the log per request, where it is wanted (LOG_REQUESTS; at LOG_LEVEL=debug every request has one). */
import type { Log } from '../log.js';
import type { LogRequests } from '../production-settings.js';
import type { Exchange } from './exchange.js';
import { pathAndQuery } from './request-target.js';

/** The most of a path that nobody configured. */
const longestPath = 200;

export class RequestLog {
  private readonly isDebug: boolean;

  constructor(
    private readonly log: Log,
    private readonly wanted: LogRequests,
  ) {
    this.isDebug = log.isLevelEnabled('debug');
  }

  /** The level at which a caller's mistake is told. */
  get mistakes(): 'info' | 'debug' {
    return this.wanted === 'off' ? 'debug' : 'info';
  }

  /** `operation` is undefined where none answered: then the path tells what was asked for. Never a query, which may hold anything. */
  ended(exchange: Exchange, operation: string | undefined, milliseconds: number): void {
    if (!this.isDebug && this.wanted === 'off') return;
    const { requestId, request, status } = exchange;
    const isWanted = this.wanted === 'on' || (this.wanted === 'errors' && status >= 400);
    if (!isWanted && !this.isDebug) return;
    const { method, url = '' } = request;
    const asked =
      operation === undefined
        ? { method, path: pathAndQuery(url).path.slice(0, longestPath) }
        : { operation };
    const entry = { requestId, ...asked, status, milliseconds: Math.round(milliseconds * 10) / 10 };
    this.log[isWanted ? 'info' : 'debug'](entry, 'request');
  }
}
