/** The memory that responses take until their clients have read them, over all connections of the process. */
import type { ServerResponse } from 'node:http';
import { ServiceError } from '../handler/reply.js';

/** Bytes; smaller responses fit into the buffers of the system. */
const small = 64 * 1024;
/** Bytes that wait for their clients at most, unless one response alone is larger. */
const limit = 256 * 1024 * 1024;
/** Milliseconds that a client has for a response while there is too little room for others. */
const leastTime = 2000;

interface Sending {
  readonly bytes: number;
  readonly since: number;
}

/** The oldest first. */
const underWay = new Map<ServerResponse, Sending>();
let taken = 0;

/**
 * To be called before a response of so many bytes is sent. Where they do not fit, the connections of those go that have waited longest
 * for their clients. Throws a ServiceError 503 where none has waited long.
 */
export function takeSendMemory(response: ServerResponse, bytes: number): void {
  if (bytes < small) return;
  const now = performance.now();
  for (const [oldest, { since }] of underWay) {
    if (taken + bytes <= limit) break;
    if (now - since < leastTime) {
      const log = { reason: `responses of ${limit} bytes wait for their clients already` };
      throw new ServiceError(503, 'Too many large responses at a time', { retryAfter: 2, log });
    }
    release(oldest);
    oldest.destroy();
  }
  underWay.set(response, { bytes, since: now });
  taken += bytes;
  response.once('close', () => {
    release(response);
  });
}

function release(response: ServerResponse): void {
  taken -= underWay.get(response)?.bytes ?? 0;
  underWay.delete(response);
}
