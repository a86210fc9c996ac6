/** Writes responses and errors to Node's response object, and limits the memory of responses that clients have not yet received. */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import { afterChanges, hasChanged } from '../handler/call.js';
import { memoryBudget, uncounted } from '../handler/memory.js';
import {
  ServiceError,
  type ErrorInfo,
  type Failure,
  type Fault,
  type HeaderList,
  type ServiceErrorDetails,
} from '../handler/reply.js';
import { describeFailure, type Log } from '../server/log.js';
import type { Json } from '../handler/json.js';
import { isWrapped, type Content, type ErrorBodies, type ErrorContent, type Exchange } from './exchange.js';
import { ClientGone } from './http-call.js';

/**
 * Counts the bytes of a response until the client has received them. Releases the memory of the call first. Throws a ServiceError 503
 * if there is not enough memory.
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
 * responses are still being sent.
 */
export function sendJson(
  exchange: Exchange,
  status: number,
  body: Json | undefined,
  more: HeaderList = [],
  type?: string,
  mayCompress = true,
): void {
  sendContent(exchange, status, body === undefined ? '' : JSON.stringify(body), more, type, mayCompress);
}

/** The media type of JSON bodies. */
export const jsonType = 'application/json; charset=utf-8';

/** Sends content of any type; see `sendJson`. An empty string with an explicit type is content; JSON is never empty. */
export function sendContent(
  exchange: Exchange,
  status: number,
  given: Content,
  more: HeaderList,
  givenType?: string,
  mayCompress = true,
): void {
  if (!exchange.isOpen) return;
  const { response } = exchange;
  const headers = ['X-Request-Id', exchange.requestId, ...more];
  if (exchange.closing) headers.push('Connection', 'close');
  if (status === 204 || status === 304) {
    finish(exchange, response.writeHead(status, headers), '');
    return;
  }
  // RFC 9110: a 205 response has no content either.
  const content = status === 205 ? '' : given;
  const bytes = sizeOf(content);
  const type = givenType ?? jsonType;
  if (bytes > 0 || (givenType !== undefined && status !== 205)) headers.push('Content-Type', type);
  const { sendCompressed } = exchange.parts;
  const isCompressed = sendCompressed !== undefined && mayCompress && bytes > 0 && isCompressible(type);
  // The compressor has a copy.
  takeSendMemory(exchange, isCompressed ? 2 * bytes : bytes);
  if (isCompressed) {
    sendCompressed(exchange.request, response, status, headers, content);
    return;
  }
  headers.push('Content-Length', String(bytes));
  // Node omits the body for HEAD requests.
  finish(exchange, response.writeHead(status, headers), content);
}

function sizeOf(content: Content): number {
  if (typeof content === 'string') return Buffer.byteLength(content);
  return content.reduce((sum, { length }) => sum + length, 0);
}

/** Whether compression is useful. Images and archives, for example, are already compressed. */
function isCompressible(type: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml|javascript|x-ndjson)\b/i.test(type);
}

/** Maximum milliseconds that a client may take to finish sending its request. */
const lingering = 2000;

/**
 * Closes a connection whose response is sent before the request has arrived completely. The connection stays open until the client has
 * sent the rest: otherwise the client would lose the response.
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
 * Ends the response with this string in a single write. Node's `end` with a string would write an empty second part, and join the parts
 * in a list. Middleware that wraps the response expects `end`, so `end` is called in that case.
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

/** Sends an error body. The message defaults to the reason phrase of the status. */
export function sendMessage(exchange: Exchange, status: number, message?: string, more?: HeaderList): void {
  sendProblem(exchange, { status, message: message ?? STATUS_CODES[status] ?? 'Error' }, more);
}

/**
 * Sends the failure thrown by an exception. A body of the failure takes precedence over the error body of the service. If a failure
 * from user code cannot be sent, an error is sent instead.
 */
export async function sendFailure(
  exchange: Exchange,
  failure: Failure,
  log: Log,
  context?: ErrorContext,
): Promise<void> {
  const { status, message, body, header, secret = false } = failure;
  try {
    if (secret) exchange.response.setHeader('Cache-Control', 'no-store');
    const more = header?.(exchange.response);
    if (body === undefined) sendProblem(exchange, failure, more);
    else {
      // A body that cannot be created is replaced by the message.
      const content = await bodyOf(failure, exchange).catch(() => ({ message }));
      sendJson(exchange, status, content, more, undefined, !secret);
    }
  } catch (error) {
    sendError(exchange, error, log, context);
  }
}

async function bodyOf(failure: Failure, { requestId }: Exchange): Promise<Json | undefined> {
  return failure.body?.(errorInfo(failure, requestId));
}

function sendProblem(exchange: Exchange, problem: Problem, more?: HeaderList): void {
  const mayCompress = problem.secret !== true;
  const { errors } = exchange.parts;
  const content = errors && contentOf(errors, errorInfo(problem, exchange.requestId));
  if (content === undefined)
    sendJson(exchange, problem.status, { message: problem.message }, more, undefined, mayCompress);
  else if ('body' in content)
    sendJson(exchange, problem.status, content.body, more, content.type, mayCompress);
  else {
    // Browsers could take a string for HTML.
    const headers = [...(more ?? []), 'X-Content-Type-Options', 'nosniff'];
    sendContent(exchange, problem.status, content.text, headers, content.type, mayCompress);
  }
}

/** The error body of the service; undefined for the default body, which also replaces bodies that cannot be created. */
function contentOf(errors: ErrorBodies, error: ErrorInfo): ErrorContent | undefined {
  try {
    return errors(error);
  } catch {
    return undefined;
  }
}

/** Log fields for an error. */
export interface ErrorContext {
  readonly operation?: string | undefined;
  /** The log level of client errors. */
  readonly clientErrors?: 'info' | 'debug';
  /** The status for invalid requests, if it is not 400. */
  readonly invalid?: 422 | undefined;
}

/** Sends an error to the client, and logs the details. */
export function sendError(exchange: Exchange, error: unknown, log: Log, context: ErrorContext = {}): void {
  if (error instanceof ClientGone) return;
  const known = error instanceof ServiceError;
  const status = logError(exchange, error, log, context);
  const { retryAfter, headers = [], faults }: ServiceErrorDetails = known ? error.details : {};
  const more = [...(retryAfter === undefined ? [] : ['Retry-After', String(retryAfter)]), ...headers];
  const message = known ? error.message : 'Internal server error';
  sendProblem(exchange, { status, message, faults }, more);
}

/** Logs an error, and returns its status. */
export function logError(
  { requestId }: Exchange,
  error: unknown,
  log: Log,
  { operation, clientErrors = 'debug', invalid }: ErrorContext,
): number {
  const status = statusOf(error, invalid);
  const level = error instanceof ServiceError ? error.details.level : undefined;
  log[status < 500 ? (level ?? clientErrors) : levelOf(status)](
    { requestId, operation, ...describeFailure(error), status },
    'request failed',
  );
  return status;
}

function statusOf(error: unknown, invalid: number | undefined): number {
  if (!(error instanceof ServiceError)) return 500;
  return error.status === 400 ? (invalid ?? 400) : error.status;
}

/** Unavailable databases are not errors of the service, so they are logged at a lower level. */
function levelOf(status: number): 'warn' | 'error' {
  return status === 503 ? 'warn' : 'error';
}

/** An error response. */
interface Problem {
  readonly status: number;
  readonly message: string;
  readonly code?: string | undefined;
  readonly faults?: readonly Fault[] | undefined;
  readonly secret?: boolean | undefined;
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
