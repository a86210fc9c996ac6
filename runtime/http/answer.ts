/** Writes answers onto Node's own response (decisions 9.3). */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import { describeFailure } from '../server/describe-error.js';
import type { Json } from '../handler/json.js';
import type { Log } from '../server/log.js';
import { ServiceError } from '../handler/reply.js';
import type { Content, Exchange } from './exchange.js';
import { ClientGone } from './http-call.js';
import { takeSendMemory } from './send-memory.js';

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
