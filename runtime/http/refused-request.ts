/** Rejects requests with invalid heads: those that Node's parser accepts, and those that it rejects, where only a socket exists. */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { requestId } from './exchange.js';

/** As many fields as Node takes by default; more than any client sends. */
const mostFields = 2000;

/** How a request is refused: a status, and a message where the usual words of the status do not tell enough. */
export interface HeadProblem {
  readonly status: number;
  readonly message?: string;
}

/** Undefined when nothing is wrong with the head. */
export function problemOfHead(request: IncomingMessage): HeadProblem | undefined {
  const { headers, httpVersion, rawHeaders } = request;
  // Names and values in turn.
  if (rawHeaders.length > 2 * mostFields) return { status: 431 };
  const { host, 'transfer-encoding': coding } = headers;
  // RFC 9112, section 3.2: one Host header, no more and no less.
  if (host === undefined) {
    if (httpVersion === '1.1') return { status: 400, message: 'The Host header is missing' };
  } else if (host.includes(',')) return { status: 400, message: 'There is more than one Host header' };
  // Section 6.1: a coding that nobody undoes here would be taken for the content.
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    return { status: 501, message: 'The only transfer encoding of this service is chunked' };
  return undefined;
}

/** The statuses of Node's parser errors, and of the method that only proxies have; everything else is a 400. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  CONNECT: 405,
};

/** Milliseconds that a client has to read the answer: cut off at once, it might lose it. */
const lingering = 1000;

/**
 * Answers on the socket and closes it, and returns the status; undefined where there is nobody to answer. `last` is the response to the
 * latest request of this connection: while that request waits for its answer, whatever were written now would be taken for it.
 */
export function refuseRequest(
  reason: string,
  socket: Socket,
  last: ServerResponse | undefined,
): number | undefined {
  // What comes after the first error is another error of the same bytes.
  if (socket.writableEnded) return undefined;
  if (reason === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  const status = statuses[reason] ?? 400;
  if (!last || last.writableFinished) end(socket, status);
  // The error is in the body of that request: then this is its answer, unless another has begun.
  else if (!last.req.complete && !last.headersSent) end(socket, status);
  else if (last.req.complete && !last.destroyed) {
    // Whoever goes on sending must not keep the response that he does not read from its time limit.
    socket.pause();
    last.once('finish', () => {
      end(socket, status);
    });
  } else socket.destroy();
  return status;
}

function end(socket: Socket, status: number): void {
  setTimeout(() => socket.destroy(), lingering).unref();
  if (!socket.writable) return;
  socket.end(refusal(status));
  // Bytes that nobody reads would turn the end of the connection into a reset.
  socket.resume();
}

function refusal(status: number): string {
  const phrase = STATUS_CODES[status] ?? 'Bad Request';
  const body = JSON.stringify({ message: phrase });
  return [
    `HTTP/1.1 ${status} ${phrase}`,
    `X-Request-Id: ${requestId(undefined)}`,
    ...(status === 405 ? ['Allow: GET'] : []),
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
