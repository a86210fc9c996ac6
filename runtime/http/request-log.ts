/** One entry of the log per request, where it is wanted (LOG_REQUESTS; at LOG_LEVEL=debug every request has one). */
import type { Log } from '../server/log.js';
import type { LogRequests } from '../server/production-settings.js';
import type { Exchange } from './exchange.js';

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

  /** `operation` is undefined where none answered; the path of such a request holds what its caller likes, so it is not told. */
  ended(exchange: Exchange, operation: string | undefined, milliseconds: number): void {
    if (!this.isDebug && this.wanted === 'off') return;
    const { requestId, request, status } = exchange;
    const isWanted = this.wanted === 'on' || (this.wanted === 'errors' && status >= 400);
    if (!isWanted && !this.isDebug) return;
    const asked = operation === undefined ? { method: request.method } : { operation };
    const entry = { requestId, ...asked, status, milliseconds: Math.round(milliseconds * 10) / 10 };
    this.log[isWanted ? 'info' : 'debug'](entry, 'request');
  }

  /** What was refused before it was a request; `reason` is `CONNECT`, or a code of Node's parser. */
  refused(status: number, reason: string): void {
    this.log[this.mistakes]({ status, reason }, 'request refused');
  }
}
