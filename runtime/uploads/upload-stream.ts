/** The stream of an upload's bytes to the form parser. It counts them, and joins small chunks. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { ServiceError } from '../handler/reply.js';
import { ClientGone } from '../http/http-call.js';
import type { MemoryShare } from '../handler/memory.js';

/** Bytes. A client may send single bytes as chunks, and every chunk takes some hundred bytes more. */
const blockSize = 16 * 1024;

/**
 * Counts bytes, and passes them on in larger chunks. When it is destroyed, the rest of the request is discarded, so that the client reads the
 * response. When the client disconnects, it ends with ClientGone.
 */
export class UploadStream extends Transform {
  /** multer reads them. */
  readonly headers: IncomingHttpHeaders;
  #size = 0;
  #block = Buffer.alloc(0);
  #filled = 0;

  constructor(
    request: IncomingMessage,
    private readonly max: number,
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
    if (this.#size > this.max) {
      done(tooLarge(this.max));
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

/** The error for more bytes than all parts together may have. */
export function tooLarge(max: number): ServiceError {
  return new ServiceError(413, `The request body is larger than ${max} bytes`);
}
