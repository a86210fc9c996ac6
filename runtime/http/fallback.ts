/**
 * Calls user code: `src/middleware.ts` before operations, `src/app.ts` for requests without an operation. Tracks the requests passed to
 * user code.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describeFailure, type Log } from '../server/log.js';
import { errorCode, isFailure, ServiceError, type Reply } from '../handler/reply.js';
import { ClientGone } from './http-call.js';
import { responseEnd } from './response-end.js';
import { sendContent, sendError, sendFailure, sendMessage } from './send-response.js';
import type { Exchange } from './exchange.js';
import type { Match, ServedRoute } from './router.js';
import { existsSync } from 'node:fs';
import { StartError } from '../server/environment.js';
import type { Access, AccessRequest, HttpLimits, RequestLimits } from './route.js';
import type { Call } from '../handler/call.js';
import type { SettingsReader } from '../server/environment.js';

/** User code that handles requests, for example an Express application. It calls `next` to pass on the request, or to report an error. */
export type Fallback = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => unknown;

/**
 * Calls user code. Returns true if it has responded, so that nothing else may handle the request. Its errors are handled like errors of
 * the service.
 */
export async function isHandledBy(exchange: Exchange, own: Fallback, log: Log): Promise<boolean> {
  const outcome = await callFallback(exchange, own, log);
  if (outcome.isHandled) return true;
  if (outcome.error === undefined) return false;
  await respondToFallbackError(exchange, outcome.error, log);
  return true;
}

/** Responds to a request without an operation: with the fallback, 404, or 405 if the path exists with other methods. */
export async function respondUnmatched(
  exchange: Exchange,
  match: Match,
  fallback: Fallback | undefined,
  log: Log,
): Promise<void> {
  if (fallback && (await isHandledBy(exchange, fallback, log))) return;
  const { method, url } = exchange.request;
  // RFC 9110, section 9.3.7: a request about the server as a whole.
  if (method === 'OPTIONS' && url === '*')
    sendContent(exchange, 204, '', ['Allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS']);
  else if (match.allow.length === 0) sendMessage(exchange, 404);
  else sendMessage(exchange, 405, undefined, ['Allow', match.allow.join(', ')]);
}

/** Resolves when the response has been sent, or the fallback has called `next`. */
function callFallback(
  exchange: Exchange,
  fallback: Fallback,
  log: Log,
): Promise<{ isHandled: boolean; error?: unknown }> {
  const { request, response } = exchange;
  response.setHeader('X-Request-Id', exchange.requestId);
  if (exchange.closing) response.setHeader('Connection', 'close');
  return new Promise((resolve) => {
    let isOver = false;
    const end = (outcome: { isHandled: boolean; error?: unknown }) => {
      isOver = true;
      resolve(outcome);
    };
    const close = (): void => {
      request.socket.off('close', close);
      end({ isHandled: true });
    };
    response.once('close', close);
    // A response queued after an earlier response on its connection does not emit `close`.
    request.socket.once('close', close);
    const run = async (): Promise<void> => {
      await fallback(request, response, (error) => {
        // Express sets this header before it searches for a route.
        if (!response.headersSent) response.removeHeader('X-Powered-By');
        end({ isHandled: false, error: isError(error) ? error : undefined });
      });
    };
    run().catch((error: unknown) => {
      if (!isOver) {
        end({ isHandled: false, error: error ?? new Error('a promise was rejected without an error') });
        return;
      }
      const known = errorOf(exchange, error);
      if (responseEnd(response, request.socket) === 'left' && isOfClosedResponse(known)) return;
      log.error(
        { requestId: exchange.requestId, ...describeFailure(known) },
        'failed after the end of the response',
      );
    });
  });
}

/** Error codes in user code that writes to a response after the client has left, or listens to the abort signal of the request. */
const closedCodes: readonly unknown[] = [
  ...['ABORT_ERR', 'ECONNRESET', 'EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_PREMATURE_CLOSE'],
];

function isOfClosedResponse(error: unknown): boolean {
  return error instanceof ClientGone || closedCodes.includes(errorCode(error));
}

/** Whether `next` was called with an error. As in Express, `next()`, `next(null)`, `next('route')` and `next('router')` are not errors. */
function isError(value: unknown): boolean {
  return Boolean(value) && value !== 'route' && value !== 'router';
}

/** Replaces the default error page of Express, which shows the stack. */
async function respondToFallbackError(exchange: Exchange, thrown: unknown, log: Log): Promise<void> {
  const error = errorOf(exchange, thrown);
  if (exchange.response.headersSent) {
    sendError(exchange, error, log);
    if (!exchange.response.writableEnded) exchange.response.destroy();
    return;
  }
  if (isFailure(error)) {
    await sendFailure(exchange, error, log);
    return;
  }
  // Express middleware reports client errors as errors with a status.
  const status: unknown = error instanceof Error ? Reflect.get(error, 'status') : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500 && !(error instanceof ServiceError))
    sendMessage(exchange, status);
  else sendError(exchange, error, log);
}

/** The error that ends the request after user code throws `thrown`. */
function errorOf({ request }: Exchange, thrown: unknown): unknown {
  return readable(offeredRequests.get(request)?.endOf?.(thrown) ?? thrown);
}

/** Returns `thrown`, or another error if reading its properties throws, as with some proxies and getters. */
function readable(thrown: unknown): unknown {
  try {
    if (!isFailure(thrown)) describeFailure(thrown);
    return thrown;
  } catch {
    return new Error('an error that cannot be read was thrown');
  }
}

/** Loads the named export of the user module; undefined if the file does not exist. Throws a StartError if the export is missing. */
export function userCode(
  name: 'app' | 'middleware',
  file: URL | undefined,
): (() => Promise<Fallback>) | undefined {
  if (file === undefined || !existsSync(file)) return undefined;
  return async () => {
    const { [name]: found } = (await import(file.href)) as Readonly<Record<string, unknown>>;
    if (typeof found === 'function') return found as Fallback;
    throw new StartError([
      `src/${name}.ts exports no function '${name}': export one, such as an Express application, or remove the file.`,
    ]);
  };
}

/** Decides whether a request may call an operation. */
export interface OfferedRoute {
  readonly access: Access | undefined;
  readonly limits: readonly RequestLimits[];
  /** Notes a call over a limit, for the metrics. */
  limited(limit: string): void;
}

/** The operation of a tool that a request calls. */
export interface OfferedTool {
  readonly route: ServedRoute;
  readonly limits: readonly RequestLimits[];
  /** Runs the operation. Throws its errors. */
  run(call: Call): Promise<Reply>;
  /** Notes the status of the operation, for the log, the metrics and limits of refused requests. */
  ended(status: number): void;
  /** Logs an error of the operation like that of a request, and returns its status. */
  failed(error: unknown): number;
}

/** The endpoint of MCP clients, whose tools are operations. */
export interface ToolEndpoint extends SettingsReader {
  /** The methods of this path; empty if the endpoint does not serve it. */
  methods(path: string): readonly string[];
  /** Responds to a request. `limits` are those of all operations together. Throws the errors of requests. */
  respond(exchange: Exchange, offered: OwnRequest, limits: readonly RequestLimits[]): Promise<void>;
}

/** A request passed to `src/app.ts`, to `src/middleware.ts`, or to the endpoint of MCP clients. */
export interface OwnRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly log: Log;
  readonly limits: HttpLimits;
  /** Makes clients with `Expect: 100-continue` send the body. */
  readonly accept: () => void;
  /** The deadline of the request, in milliseconds of `performance.now()`. */
  readonly deadline: number;
  readonly decided: AccessRequest['decided'];
  readonly counted: AccessRequest['counted'];
  /** The route of an operation, with the limits of its requests; undefined for an operation without an endpoint. */
  readonly routeOf: (handler: object) => Promise<OfferedRoute | undefined>;
  /** The operation with this name, which the request calls as a tool. */
  readonly toolOf: (operation: string) => Promise<OfferedTool>;
  /** The error that ends the request if user code throws this one. It differs only for errors that the runtime has passed to user code. */
  endOf?: (error: unknown) => unknown;
}

/** The requests that user code may pass to functions of the runtime. */
export const offeredRequests = new WeakMap<IncomingMessage, OwnRequest>();
