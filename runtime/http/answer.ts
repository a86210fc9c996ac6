/** Writes answers onto Node's own response (decisions 9.3). */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import { describeFailure } from '../describe-error.js';
import type { Json } from '../json.js';
import type { Log } from '../log.js';
import { ServiceError } from '../service-error.js';
import type { Exchange } from './exchange.js';
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
  const { response } = exchange;
  if (response.destroyed || response.headersSent) return;

  // RFC 9110: these have no content.
  const text = body === undefined || status === 205 ? '' : JSON.stringify(body);
  const headers = ['X-Request-Id', exchange.requestId, ...more];
  if (exchange.closing) headers.push('Connection', 'close');
  if (status === 204 || status === 304) {
    finish(exchange, response.writeHead(status, headers));
    return;
  }
  if (text !== '') headers.push('Content-Type', 'application/json; charset=utf-8');
  const bytes = Buffer.byteLength(text);
  takeSendMemory(response, bytes);
  if (exchange.sendCompressed !== undefined && text !== '') {
    exchange.sendCompressed(exchange.request, response, status, headers, text);
    return;
  }
  headers.push('Content-Length', String(bytes));
  // Node leaves the body away by itself where the method is HEAD.
  finish(exchange, response.writeHead(status, headers), text);
}

/** Milliseconds that a client has, at most, to come to the end of what it sends. */
const lingering = 2000;

/**
 * Where the connection ends with an answer that comes before the client has sent everything, the connection stays open until
 * it has: Node would cut it off, and the client would lose the answer.
 */
function finish({ request, response, closing }: Exchange, head: ServerResponse, text = ''): void {
  if (request.complete || (response.shouldKeepAlive && !closing)) {
    head.end(text);
    return;
  }
  head.flushHeaders();
  if (text !== '') head.write(text);
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
