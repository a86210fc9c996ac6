/** The error of a request that is over a limit. */
import { ServiceError, type HeaderList } from '../handler/reply.js';

/** Ends a request with status 429. `limit` is the configured limit, for logs and metrics. */
export class LimitReached extends ServiceError {
  constructor(
    readonly limit: string,
    /** Seconds until a request can succeed. */
    retryAfter: number,
    headers: HeaderList = [],
  ) {
    super(429, 'Too many requests', { retryAfter, headers, log: { limit } });
  }
}
