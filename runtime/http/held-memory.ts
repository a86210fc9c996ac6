/** The memory that large results take until their requests are answered, over all requests of the process. */
import { getHeapStatistics } from 'node:v8';
import { ServiceError } from '../handler/service-error.js';

/** Bytes: a part of the heap (`--max-old-space-size`) that leaves room for what is being received and written. */
const limit = getHeapStatistics().heap_size_limit / 4;
let taken = 0;

/** What one request takes of it. */
export class HeldMemory {
  #own = 0;

  /** Throws a ServiceError 503 when others have left not so much; a request that is alone gets it in any case. */
  take(bytes: number): void {
    if (taken + bytes > limit && taken > this.#own) {
      const log = {
        reason: `the results of all requests take more than ${limit} bytes, a quarter of the heap`,
      };
      throw new ServiceError(503, 'Too many large results at a time', { retryAfter: 1, log });
    }
    taken += bytes;
    this.#own += bytes;
  }

  /** Gives all of it back. */
  release(): void {
    taken -= this.#own;
    this.#own = 0;
  }
}
