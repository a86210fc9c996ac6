/** What the HTTP server knows of the test page; only a service that was configured with `debug: true` has one. */
import type { Call } from '../handler/call.js';
import type { Log } from '../server/log.js';
import type { Reply } from '../handler/reply.js';
import type { Exchange } from './exchange.js';
import type { Handler } from './router.js';

export interface TestPage {
  /** Says in the log that it is there. */
  announce(log: Log, workers: number): void;
  /** True when the request was for the page or one of its files, and has been answered. */
  answer(exchange: Exchange): boolean;
  /** Runs an operation for the request; keeps a trace of it where the page asks for one. */
  observe(exchange: Exchange, operation: string, handler: Handler, call: Call): Promise<Reply>;
}
