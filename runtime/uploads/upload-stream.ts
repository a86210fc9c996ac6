/** The stream of an upload's bytes to the form parser. It counts them, and joins small chunks. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { ServiceError } from '../handler/reply.js';
import { ClientGone } from '../http/http-call.js';
import type { MemoryShare } from '../handler/memory.js';

/** Bytes. A client may send each byte as a chunk of its own, and every chunk that is kept costs some hundred bytes more. */
const blockSize = 16 * 1024;

/**
 * Counts what comes, and hands it on in pieces that are worth keeping. When it is destroyed, the request goes on into nothing, so
 * that the client reads our answer; when the client goes away, it ends with ClientGone.
 */
export class UploadStream extends Transform {
  /** multer looks at them. */
  readonly headers: IncomingHttpHeaders;
  #size = 0;
  #block = Buffer.alloc(0);
  #filled = 0;

  constructor(
    request: IncomingMessage,
    private readonly most: number,
    private readonly memory: MemoryShare,
  ) {
    super();
    this.headers = request.headers;
    request.pipe(this);
    request.once('close', () => {
      if (!request.readableEnded) this.destroy(new ClientGone());
    });
    this.once('close', () => {
      request.unpipe(this);
      request.resume();
    });
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.#size += chunk.length;
    if (this.#size > this.most) {
      done(tooLarge(this.most));
      return;
    }
    try {
      this.memory.take(chunk.length);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (chunk.length > blockSize - this.#filled) this.#handOn();
    if (chunk.length >= blockSize / 2) this.push(chunk);
    else this.#gather(chunk);
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#handOn();
    done();
  }

  #gather(chunk: Buffer): void {
    if (this.#filled === 0) this.#block = Buffer.allocUnsafe(blockSize);
    this.#filled += chunk.copy(this.#block, this.#filled);
  }

  #handOn(): void {
    if (this.#filled > 0) this.push(this.#block.subarray(0, this.#filled));
    this.#filled = 0;
  }
}

/** More bytes than all parts together may have. */
export function tooLarge(most: number): ServiceError {
  return new ServiceError(413, `The request body is larger than ${most} bytes`);
}
