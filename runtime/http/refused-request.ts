/** Answers what is no HTTP request, or one that never comes to its end: here there is no request object, only a socket. */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { requestId } from './request-id.js';

/** The statuses of Node's parser errors; everything else is a 400. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Milliseconds that a client has to read the answer: cut off at once, it might lose it. */
const lingering = 1000;

/**
 * Answers on the socket and closes it. `last` is the response to the latest request of this connection: while that request
 * waits for its answer, whatever were written now would be taken for it.
 */
export function refuseRequest(
  error: Error & { code?: string },
  socket: Socket,
  last: ServerResponse | undefined,
): void {
  // What comes after the first fault is another fault of the same bytes.
  if (socket.writableEnded) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statuses[error.code ?? ''] ?? 400;
  if (!last || last.writableFinished) end(socket, status);
  // The fault lies in the body of that request: then this is its answer, unless another has begun.
  else if (!last.req.complete && !last.headersSent) end(socket, status);
  else if (last.req.complete && !last.destroyed) {
    last.once('finish', () => {
      end(socket, status);
    });
  } else socket.destroy();
}

function end(socket: Socket, status: number): void {
  if (!socket.writable) return;
  socket.end(refusal(status));
  setTimeout(() => socket.destroy(), lingering).unref();
}

function refusal(status: number): string {
  const phrase = STATUS_CODES[status] ?? 'Bad Request';
  const body = JSON.stringify({ message: phrase });
  return [
    `HTTP/1.1 ${status} ${phrase}`,
    `X-Request-Id: ${requestId(undefined)}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
