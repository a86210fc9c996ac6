/** Writes responses and errors to Node's own response object, and limits the memory of responses that wait for their clients. */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import { afterChanges, hasChanged } from '../handler/call.js';
import { memoryBudget, uncounted } from '../handler/memory.js';
import { ServiceError, type ErrorInfo, type Failure, type HeaderList, type Fault } from '../handler/reply.js';
import { describeFailure, type Log } from '../server/log.js';
import type { Json } from '../handler/json.js';
import { isWrapped, type Content, type ErrorBodies, type ErrorContent, type Exchange } from './exchange.js';
import { ClientGone } from './http-call.js';

/**
 * Counts the bytes of a response until its client has received them. The memory that the call used for the response is released first.
 * Throws a ServiceError 503 if not enough memory is left.
 */
function takeSendMemory({ response, call }: Exchange, bytes: number): void {
  if (bytes < uncounted) return;
  call?.release();
  const drop = (): void => {
    response.destroy();
  };
  const mayExceed = call !== undefined && hasChanged(call);
  try {
    memoryBudget.wait(response, bytes, drop, mayExceed);
  } catch (error) {
    throw call === undefined ? error : afterChanges(call, error);
  }
  response.once('close', () => {
    memoryBudget.sent(response);
  });
}

/**
 * Sends a status and an optional JSON body. Does nothing if the client has disconnected. Throws a ServiceError 503 if too many large
 * responses wait for their clients.
 */
export function sendJson(
  exchange: Exchange,
  status: number,
  body: Json | undefined,
  more: HeaderList = [],
  type?: string,
): void {
  sendContent(exchange, status, body === undefined ? '' : JSON.stringify(body), more, type);
}

const json = 'application/json; charset=utf-8';

/** Sends content of any type, as `sendJson` does. An empty string of a given type is content; JSON is never empty. */
export function sendContent(
  exchange: Exchange,
  status: number,
  given: Content,
  more: HeaderList,
  givenType?: string,
): void {
  if (!exchange.isOpen) return;
  const { response } = exchange;
  const headers = ['X-Request-Id', exchange.requestId, ...more];
  if (exchange.closing) headers.push('Connection', 'close');
  if (status === 204 || status === 304) {
    finish(exchange, response.writeHead(status, headers), '');
    return;
  }
  // RFC 9110: a 205 has no content either.
  const content = status === 205 ? '' : given;
  const bytes = sizeOf(content);
  const type = givenType ?? json;
  if (bytes > 0 || (givenType !== undefined && status !== 205)) headers.push('Content-Type', type);
  const { sendCompressed } = exchange.parts;
  const isCompressed = sendCompressed !== undefined && bytes > 0 && isCompressible(type);
  // The compressor has a copy.
  takeSendMemory(exchange, isCompressed ? 2 * bytes : bytes);
  if (isCompressed) {
    sendCompressed(exchange.request, response, status, headers, content);
    return;
  }
  headers.push('Content-Length', String(bytes));
  // Node itself omits the body for HEAD.
  finish(exchange, response.writeHead(status, headers), content);
}

function sizeOf(content: Content): number {
  if (typeof content === 'string') return Buffer.byteLength(content);
  return content.reduce((sum, { length }) => sum + length, 0);
}

/** False for images, archives and the like, which are compressed already. */
function isCompressible(type: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml|javascript|x-ndjson)\b/i.test(type);
}

/** Maximum milliseconds for a client to finish sending its request. */
const lingering = 2000;

/**
 * Closes a connection whose response is sent before the whole request has arrived. It stays open until the client has sent everything:
 * otherwise the client would lose the response.
 */
function finish({ request, response, closing }: Exchange, head: ServerResponse, content: Content): void {
  if (request.complete || (response.shouldKeepAlive && !closing)) {
    if (typeof content === 'string') {
      endWith(head, content);
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

/**
 * Ends the response with this string in one system write. `end` with a string would write an empty second part, and join both in a list.
 * Middleware that wraps the response expects `end`, so it is called there.
 */
function endWith(response: ServerResponse, text: string): void {
  const { socket } = response;
  if (socket === null || text === '' || isWrapped(response)) {
    response.end(text);
    return;
  }
  socket.cork();
  response.write(text);
  socket.uncork();
  response.end();
}

/** Sends an error in the form of the service. Without a message, the reason phrase of the status is used. */
export function sendMessage(exchange: Exchange, status: number, message?: string, more?: HeaderList): void {
  sendProblem(exchange, { status, message: message ?? STATUS_CODES[status] ?? 'Error' }, more);
}

/**
 * Sends the failure of an exception. The body of the failure takes precedence over the form of the service. A failure from user code that
 * cannot be sent counts as an error.
 */
export async function sendFailure(
  exchange: Exchange,
  failure: Failure,
  log: Log,
  context?: ErrorContext,
): Promise<void> {
  const { status, message, body, header } = failure;
  try {
    const more = header?.(exchange.response);
    if (body === undefined) sendProblem(exchange, failure, more);
    // A body that cannot be made is replaced by the message.
    else sendJson(exchange, status, await bodyOf(failure, exchange).catch(() => ({ message })), more);
  } catch (error) {
    sendError(exchange, error, log, context);
  }
}

async function bodyOf(failure: Failure, { requestId }: Exchange): Promise<Json | undefined> {
  return failure.body?.(errorInfo(failure, requestId));
}

function sendProblem(exchange: Exchange, problem: Problem, more?: HeaderList): void {
  const { errors } = exchange.parts;
  const content = errors && contentOf(errors, errorInfo(problem, exchange.requestId));
  if (content === undefined) sendJson(exchange, problem.status, { message: problem.message }, more);
  else sendJson(exchange, problem.status, content.body, more, content.type);
}

/** Undefined for the default body, which also replaces a body that cannot be made. */
function contentOf(errors: ErrorBodies, error: ErrorInfo): ErrorContent | undefined {
  try {
    return errors(error);
  } catch {
    return undefined;
  }
}

/** Fields for the log entry of an error. */
export interface ErrorContext {
  readonly operation?: string | undefined;
  /** The log level of client errors. */
  readonly clientErrors?: 'info' | 'debug';
  /** The status of an invalid request if it is not 400. */
  readonly invalid?: 422 | undefined;
}

/** Sends an error to the client, and logs its details. */
export function sendError(
  exchange: Exchange,
  error: unknown,
  log: Log,
  { operation, clientErrors = 'debug', invalid }: ErrorContext = {},
): void {
  if (error instanceof ClientGone) return;
  const known = error instanceof ServiceError;
  const status = statusOf(error, invalid);
  const { retryAfter, level, faults } = known ? error.details : {};

  log[status < 500 ? (level ?? clientErrors) : levelOf(status)](
    { requestId: exchange.requestId, operation, ...describeFailure(error), status },
    'request failed',
  );
  const more = retryAfter === undefined ? [] : ['Retry-After', String(retryAfter)];
  const message = known ? error.message : 'Internal server error';
  sendProblem(exchange, { status, message, faults }, more);
}

function statusOf(error: unknown, invalid: number | undefined): number {
  if (!(error instanceof ServiceError)) return 500;
  return error.status === 400 ? (invalid ?? 400) : error.status;
}

/** An unavailable database is not an error of the service, so it is logged at a lower level. */
function levelOf(status: number): 'warn' | 'error' {
  return status === 503 ? 'warn' : 'error';
}

/** An error that is sent. */
interface Problem {
  readonly status: number;
  readonly message: string;
  readonly code?: string | undefined;
  readonly faults?: readonly Fault[] | undefined;
}

function errorInfo({ status, message, code, faults = [] }: Problem, requestId: string): ErrorInfo {
  return {
    status,
    title: STATUS_CODES[status] ?? 'Error',
    message,
    code: code ?? null,
    requestId,
    faults: [...faults],
    byName: messagesByName(faults),
  };
}

function messagesByName(faults: readonly Fault[]): Record<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { name, message } of faults) {
    const messages = found.get(name) ?? [];
    messages.push(message);
    found.set(name, messages);
  }
  return Object.fromEntries(found);
}
