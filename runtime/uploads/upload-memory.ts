/** The memory that uploads take, over all requests of the process. */
import { ServiceError } from '../handler/service-error.js';

let taken = 0;

/** What one request takes of it. */
export class UploadMemory {
  #own = 0;

  constructor(private readonly limit: number) {}

  /** Throws a ServiceError 503 when there is not so much left. */
  take(bytes: number): void {
    if (taken + bytes > this.limit) {
      const log = { reason: `uploads take more than ${this.limit} bytes of memory together (UPLOAD_MEMORY)` };
      throw new ServiceError(503, 'Too many uploads at a time', { retryAfter: 1, log });
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
