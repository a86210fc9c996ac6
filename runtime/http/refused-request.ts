/** Rejects requests with invalid heads: those that Node's parser accepts, and those that it rejects, where only the socket is available. */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { requestId } from './exchange.js';
import { withoutSpace } from './header-space.js';

/** Maximum number of header fields, as in Node. */
const maxFields = 2000;

/** A rejection: a status, and a message if the reason phrase is not specific enough. */
export interface HeadProblem {
  readonly status: number;
  readonly message?: string;
}

/** Returns the problem of a request head; undefined if it is valid. */
export function problemOfHead(request: IncomingMessage): HeadProblem | undefined {
  const { headers, httpVersion, rawHeaders } = request;
  // Names and values alternate.
  if (rawHeaders.length > 2 * maxFields) return { status: 431 };
  // Node's parser accepts 0.9 and 2.0.
  if (!httpVersion.startsWith('1.'))
    return { status: 505, message: 'The HTTP version of this service is 1.1' };
  const { host, 'transfer-encoding': coding } = headers;
  // RFC 9112, section 3.2: exactly one Host header.
  if (host === undefined) {
    if (httpVersion === '1.1') return { status: 400, message: 'The Host header is missing' };
  } else if (host.includes(',')) return { status: 400, message: 'There is more than one Host header' };
  // RFC 9112, section 6.1: the body would be misread with an unknown coding.
  if (coding !== undefined && withoutSpace(coding).toLowerCase() !== 'chunked')
    return { status: 501, message: 'The only transfer encoding of this service is chunked' };
  return undefined;
}

/** Statuses for parser errors of Node, and for CONNECT, which only proxies support. All other errors have status 400. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  CONNECT: 405,
};

/** Milliseconds in which a client can read the response before the connection is closed. */
const lingering = 1000;

/**
 * Responds on the socket, closes it, and returns the status; undefined if a response is impossible. `last` is the response to the
 * latest request of this connection: while that response is pending, the client would read any written bytes as part of it.
 */
export function refuseRequest(
  reason: string,
  socket: Socket,
  last: ServerResponse | undefined,
): number | undefined {
  // Later errors have the same cause.
  if (socket.writableEnded) return undefined;
  if (reason === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  const status = statuses[reason] ?? 400;
  if (!last || last.writableFinished) end(socket, status);
  // The error is in the body of that request, so this is its response, unless a response has already begun.
  else if (!last.req.complete && !last.headersSent) end(socket, status);
  else if (last.req.complete && !last.destroyed) {
    // More data from the client must not extend the time limit of a response that is not being read.
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
  // Closing with unread bytes would reset the connection.
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
