/** Writes responses to Node's own response object, and limits the memory of responses that wait for their clients. */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import { ServiceError } from '../handler/reply.js';
import { describeFailure, type Log } from '../server/log.js';
import type { Json } from '../handler/json.js';
import type { Content, Exchange } from './exchange.js';
import { ClientGone } from './http-call.js';

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

/** Names and values in turn, as `writeHead` takes them. */
type Headers = readonly string[];

/**
 * Sends a status and a JSON body; without a body none is sent. Does nothing when the client has gone away. Throws a ServiceError 503
 * where too many large responses wait for their clients already.
 */
export function sendJson(
  exchange: Exchange,
  status: number,
  body: Json | undefined,
  more: Headers = [],
): void {
  if (!exchange.isOpen) return;
  // RFC 9110: these have no content.
  const text = body === undefined || status === 205 ? '' : JSON.stringify(body);
  send(exchange, status, text, Buffer.byteLength(text), more);
}

/** As `sendJson`, for the JSON text of a body in pieces. */
export function sendPieces(exchange: Exchange, status: number, pieces: readonly Buffer[]): void {
  if (!exchange.isOpen) return;
  let bytes = 0;
  for (const piece of pieces) bytes += piece.length;
  if (status === 205) send(exchange, status, '', 0);
  else send(exchange, status, pieces, bytes);
}

function send(exchange: Exchange, status: number, content: Content, bytes: number, more: Headers = []): void {
  const { response } = exchange;
  const headers = ['X-Request-Id', exchange.requestId, ...more];
  if (exchange.closing) headers.push('Connection', 'close');
  if (status === 204 || status === 304) {
    finish(exchange, response.writeHead(status, headers), '');
    return;
  }
  if (bytes > 0) headers.push('Content-Type', 'application/json; charset=utf-8');
  takeSendMemory(response, bytes);
  if (exchange.sendCompressed !== undefined && bytes > 0) {
    exchange.sendCompressed(exchange.request, response, status, headers, content);
    return;
  }
  headers.push('Content-Length', String(bytes));
  // Node leaves the body away by itself where the method is HEAD.
  finish(exchange, response.writeHead(status, headers), content);
}

/** Milliseconds that a client has, at most, to come to the end of what it sends. */
const lingering = 2000;

/**
 * Where the connection ends with an answer that comes before the client has sent everything, the connection stays open until
 * it has: Node would cut it off, and the client would lose the answer.
 */
function finish({ request, response, closing }: Exchange, head: ServerResponse, content: Content): void {
  if (request.complete || (response.shouldKeepAlive && !closing)) {
    if (typeof content === 'string') {
      head.end(content);
      return;
    }
    for (const piece of content) head.write(piece);
    head.end();
    return;
  }
  head.flushHeaders();
  for (const piece of typeof content === 'string' ? [content] : content) if (piece !== '') head.write(piece);
  const end = () => {
    clearTimeout(timer);
    head.end();
  };
  const timer = setTimeout(end, lingering);
  request.once('end', end).once('close', end).resume();
}

/** Sends `{"message"}`; the usual words of the status when no message is given. */
export function sendMessage(exchange: Exchange, status: number, message?: string, more?: Headers): void {
  sendJson(exchange, status, { message: message ?? STATUS_CODES[status] ?? 'Error' }, more);
}

/** What the log says of an error besides what it was. */
export interface ErrorContext {
  readonly operation?: string | undefined;
  /** The level at which a caller's mistake is told. */
  readonly mistakes?: 'info' | 'debug';
}

/** Sends what an error means to the caller, and logs what it means to the service. */
export function sendError(
  exchange: Exchange,
  error: unknown,
  log: Log,
  { operation, mistakes = 'debug' }: ErrorContext = {},
): void {
  if (error instanceof ClientGone) return;
  const known = error instanceof ServiceError;
  const status = known ? error.status : 500;
  const { retryAfter, level } = known ? error.details : {};

  log[status < 500 ? (level ?? mistakes) : levelOf(status)](
    { requestId: exchange.requestId, operation, ...describeFailure(error) },
    'request failed',
  );
  const more = retryAfter === undefined ? [] : ['Retry-After', String(retryAfter)];
  sendMessage(exchange, status, known ? error.message : 'Internal server error', more);
}

/** A database that is away for a while is less than a fault of the service. */
function levelOf(status: number): 'warn' | 'error' {
  return status === 503 ? 'warn' : 'error';
}
