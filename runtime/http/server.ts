/** The HTTP server: turns a request into a call of its operation, and a reply into a response. */
import { channel } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import type { Refusal } from '../authentication/refusal.js';
import type { Call } from '../handler/call.js';
import { takesTurns } from '../handler/json-text.js';
import { sendInTurns } from '../responses/json-content.js';
import type { Log } from '../server/log.js';
import type { Observer, WorkerLink } from '../server/contracts.js';
import type { LogRequests } from '../server/settings.js';
import { isFailure, MediaTypeError, type Reply } from '../handler/reply.js';
import { logError, sendError, sendFailure, sendJson, sendMessage } from './send-response.js';
import type { Endpoint, Handler, HttpLimits, RequestLimits, TestPage } from './route.js';
import { LimitReached } from '../limits/limit-reached.js';
import type { CountRequest } from '../limits/request-count.js';
import { Connections } from './connections.js';
import { Exchange, type HttpParts, ReplyContent } from './exchange.js';
import { problemOfHead } from './refused-request.js';
import {
  respondUnmatched,
  isHandledBy,
  type Fallback,
  offeredRequests,
  type OfferedTool,
  type OwnRequest,
  type ToolEndpoint,
} from './fallback.js';
import { offerRawBody } from './body-bytes.js';
import { HttpCall } from './http-call.js';
import { ServedRequest } from './node-internals.js';
import { RequestLog, nameSpan } from './request-log.js';
import { onceOver } from './response-end.js';
import { normalTarget, pathAndQuery } from './request-target.js';
import { nameOf, type Router, type ServedRoute } from './router.js';

/** The routes, optional parts, and limits of a server. */
export interface HttpServerOptions extends HttpParts {
  readonly router: Router;
  readonly log: Log;
  readonly limits: HttpLimits;
  /** Which requests are logged. */
  readonly logRequests?: LogRequests;
  readonly testPage?: TestPage | undefined;
  /** Limits for the requests of all operations together. */
  readonly limitsOfAll?: RequestLimits | undefined;
  /** Receives events of every request, for metrics. */
  readonly observer?: Observer | undefined;
  /** Receives every request first, and may respond. */
  readonly middleware?: Fallback | undefined;
  /** Serves MCP clients. */
  readonly tools?: ToolEndpoint | undefined;
  /** Loads `src/app.ts` when the first request needs it. */
  readonly fallback?: (() => Promise<Fallback>) | undefined;
}

/** Receives the reason of each refusal, by the id of the request, before the response is sent. `apikiln dev` listens. */
const refusals = channel('apikiln.refusal');

/** Milliseconds. Node requires at most the time for the whole request. */
const headersTimeout = 10_000;

/** Serves operations with Node's HTTP server. */
export class HttpServer {
  readonly server: Server;
  /** Whether the service is stopping. */
  closing = false;
  /** Whether every response closes its connection. */
  responsesAreLast = false;
  /** Resolves when all operations have been loaded. */
  loaded: Promise<void> = Promise.resolve();
  private readonly connections: Connections;
  private readonly requestLog: RequestLog;

  /** Creates the server without listening; call `server.listen` to start. */
  constructor(readonly options: HttpServerOptions) {
    const { requestTimeout, headerLimit, sendTimeout } = options.limits;
    this.requestLog = new RequestLog(options.log, options.logRequests ?? 'off');
    this.server = createServer({
      IncomingMessage: ServedRequest,
      maxHeaderSize: headerLimit,
      requestTimeout,
      headersTimeout: Math.min(headersTimeout, requestTimeout),
      connectionsCheckingInterval: 1000,
      insecureHTTPParser: false,
      joinDuplicateHeaders: true,
      // Requests without a Host header are rejected below, with the usual error body.
      requireHostHeader: false,
    });
    // Node would silently drop headers over its own limit. `problemOfHead` counts headers instead.
    this.server.maxHeadersCount = 0;
    this.connections = new Connections(this.server, {
      sendTimeout,
      onRefusal: (status, reason) => {
        options.observer?.requestRefused(status);
        this.requestLog.refused(status, reason);
      },
    });
    this.listenToEvents();
  }

  /** Loads all operations while requests are served. The process ends if an operation cannot be loaded, as with a failed import. */
  loadOperations(): void {
    this.loaded = this.options.router.load();
    this.loaded.catch((error: unknown) => {
      process.stderr.write(`${inspect(error)}\n`);
      setImmediate(() => {
        throw error;
      });
    });
  }

  /**
   * Stops accepting connections, and resolves when the last connection is closed. Clients are asked to close connections only after all
   * processes have stopped listening (`settled`): earlier, they could reconnect to a socket that is about to close.
   */
  async close(worker?: Pick<WorkerLink, 'handedOver' | 'settled'>): Promise<void> {
    await worker?.handedOver();
    await this.connections.stopListening();
    await worker?.settled();
    this.responsesAreLast = true;
    await this.connections.end();
  }

  /** Closes all connections immediately. */
  destroyConnections(): void {
    this.connections.destroyAll();
  }

  private listenToEvents(): void {
    this.server.on('request', (request, response) => {
      void this.respond(request, response);
    });
    this.server.on('checkContinue', (request, response) => {
      void this.respond(request, response, true);
    });
    this.server.on('checkExpectation', (request, response) => {
      const exchange = new Exchange(request, response, this);
      exchange.closeAfter = true;
      sendMessage(exchange, 417);
    });
  }

  /** `waits`: the client sends its body only after `100 Continue`. */
  private async respond(request: IncomingMessage, response: ServerResponse, waits = false): Promise<void> {
    const start = performance.now();
    this.options.observer?.requestBegun();
    this.connections.begin(request.socket, response);
    if (this.connections.deaf !== undefined) await this.connections.deaf;
    const exchange = new Exchange(request, response, this);
    // The client may or may not send the announced body, so the connection cannot be reused.
    exchange.closeAfter = waits;
    const offered = this.offeredOf(exchange, start, waits);
    let route: ServedRoute | undefined;
    let call: HttpCall | undefined;
    try {
      const isHandled = this.respondBeforeRouting(exchange, offered);
      if (isHandled === true || (isHandled !== false && (await isHandled))) return;
      const { path, query } = pathAndQuery(request.url ?? '');
      const { tools } = this.options;
      if (tools !== undefined && tools.methods(path).length > 0) {
        await tools.respond(exchange, offered, this.limitsOf({}));
        return;
      }
      const match = this.options.router.find(request.method ?? '', path);
      route = match.route;
      if (route === undefined) {
        const fallback = await this.options.fallback?.();
        if (fallback !== undefined) offerRequest(offered);
        await respondUnmatched(exchange, match, fallback, offered.log);
        return;
      }
      nameSpan(route);
      const limits = this.limitsOf(route);
      for (const one of limits) {
        const counting = one.countClient(request, offered.counted);
        if (counting !== undefined) await counting;
      }
      const admission = route.access && (await route.access.admit({ ...offered, query }));
      if (admission !== undefined && 'status' in admission) {
        sendMessage(exchange, admission.status, undefined, admission.headers(response));
        return;
      }
      call = new HttpCall(request, response, match, query, offered.deadline, exchange.requestId);
      exchange.call = call;
      call.caller = admission?.caller ?? null;
      if (admission?.isPrivate === true) response.setHeader('Cache-Control', 'private, no-cache');
      await this.respondTo(call, exchange, route, offered, limits);
    } catch (error) {
      const { clientErrors } = this.requestLog;
      if (error instanceof LimitReached) this.limited(exchange, route, error);
      // Pages of any origin can send such requests from the address of their visitor.
      if (error instanceof MediaTypeError || exchange.refusal === 'origin') giveBackRefused(exchange);
      const operation = route && nameOf(route);
      const context = { operation, clientErrors, invalid: route?.invalid };
      if (isFailure(error)) await sendFailure(exchange, error, this.options.log, context);
      else sendError(exchange, error, this.options.log, context);
    } finally {
      call?.release();
      if (exchange.counts.length > 0) giveBackCounts(exchange);
      this.connections.watch(request.socket);
      this.end(exchange, route, start);
    }
  }

  /** The request for pages, middleware and authentications, with a function that requests the body. */
  private offeredOf(exchange: Exchange, start: number, waits: boolean): OwnRequest {
    const { request, response, requestId } = exchange;
    const { log, limits } = this.options;
    let isAwaited = waits;
    const accept = (): void => {
      exchange.closeAfter = false;
      if (isAwaited) response.writeContinue();
      isAwaited = false;
    };
    const decided = (refusal: Refusal | undefined): void => {
      exchange.refusal = refusal;
      if (refusal !== undefined && refusals.hasSubscribers) refusals.publish({ requestId, refusal });
    };
    const deadline = start + limits.requestTimeout;
    const counted: CountRequest = (count) => exchange.counts.push(count);
    const routeOf: OwnRequest['routeOf'] = async (handler) => {
      const route = await this.options.router.routeOf(handler);
      return (
        route && {
          access: route.access,
          limits: this.limitsOf(route),
          limited: (limit) => this.options.observer?.requestLimited(nameOf(route), limit),
        }
      );
    };
    const toolOf = (operation: string): Promise<OfferedTool> => this.toolOf(operation, exchange);
    return {
      ...{ request, response, log, limits, accept, deadline, requestId, decided, counted, routeOf },
      toolOf,
    };
  }

  /**
   * Responds to invalid requests and preflight requests, and calls the middleware and the test page. Returns whether a response was
   * sent.
   */
  private respondBeforeRouting(exchange: Exchange, offered: OwnRequest): boolean | Promise<boolean> {
    const { request } = exchange;
    const problem = problemOfHead(request);
    if (problem !== undefined) {
      exchange.closeAfter = true;
      sendMessage(exchange, problem.status, problem.message);
      return true;
    }
    const { middleware, cors, testPage } = this.options;
    // The middleware sees the same path as the router.
    if (middleware !== undefined) request.url = normalTarget(request.url ?? '');
    // CORS is handled first, so that pages can read responses of the middleware, and preflight requests need no credentials. Pages of
    // other origins can never read the test page.
    const isForOthers = cors !== undefined && testPage?.owns(request.url ?? '') !== true;
    if (isForOthers && cors.respond(exchange)) return true;
    if (middleware !== undefined) return this.respondByMiddleware(exchange, offered, middleware);
    return testPage?.respond(exchange) === true;
  }

  private async respondByMiddleware(
    exchange: Exchange,
    offered: OwnRequest,
    middleware: Fallback,
  ): Promise<boolean> {
    offerRequest(offered);
    if (await isHandledBy(exchange, middleware, offered.log)) return true;
    return this.options.testPage?.respond(exchange) === true;
  }

  /** Reads the body, runs the operation, and sends the reply. */
  private async respondTo(
    call: HttpCall,
    exchange: Exchange,
    route: ServedRoute,
    { limits, accept, counted }: OwnRequest,
    requestLimits: readonly RequestLimits[],
  ): Promise<void> {
    const body = route.body && (await route.body(exchange, call, limits, accept));
    const accepting = route.input?.accept(call, body);
    if (accepting !== undefined) await accepting;
    for (const one of requestLimits) {
      const counting = one.countCall(call, counted);
      if (counting !== undefined) await counting;
    }
    const reply = await this.run(exchange, route, route.handler ?? (await route.load()), call);
    if (reply.content instanceof ReplyContent) {
      const sent = reply.content.send(exchange, call);
      if (sent instanceof Promise) await sent;
    } else if (takesTurns(reply.body)) {
      const sent = sendInTurns(exchange, call, reply.status, reply.body);
      if (sent instanceof Promise) await sent;
    } else sendJson(exchange, reply.status, reply.body);
  }

  /** The operation that the request calls as a tool. */
  private async toolOf(operation: string, exchange: Exchange): Promise<OfferedTool> {
    const { router, log } = this.options;
    const route = router.named(operation);
    const handler = route.handler ?? (await route.load());
    const tool: Exchange['tool'] = { operation, status: undefined };
    exchange.tool = tool;
    nameSpan(route);
    return {
      route,
      limits: this.limitsOf(route),
      run: async (call) => this.run(exchange, route, handler, call),
      ended: (status) => {
        tool.status = status;
      },
      failed: (error) => {
        if (error instanceof LimitReached) this.limited(exchange, route, error);
        const { clientErrors } = this.requestLog;
        const status = isFailure(error)
          ? error.status
          : logError(exchange, error, log, { operation, clientErrors, invalid: route.invalid });
        tool.status = status;
        return status;
      },
    };
  }

  private limitsOf({ limits }: Pick<Endpoint, 'limits'>): readonly RequestLimits[] {
    const { limitsOfAll } = this.options;
    if (limitsOfAll === undefined && limits === undefined) return noLimits;
    return [limitsOfAll, limits].filter((one) => one !== undefined);
  }

  /** Notes a request that is over a limit. Such a request counts in no limit. */
  private limited(exchange: Exchange, route: Endpoint | undefined, { limit }: LimitReached): void {
    for (const count of exchange.counts.splice(0)) count.giveBack();
    if (route !== undefined) this.options.observer?.requestLimited(nameOf(route), limit);
  }

  private run(exchange: Exchange, route: Endpoint, handler: Handler, call: Call): Reply | Promise<Reply> {
    const { testPage } = this.options;
    return testPage?.observe(exchange, nameOf(route), handler, call) ?? handler(call);
  }

  private end(exchange: Exchange, route: Endpoint | undefined, start: number): void {
    const { observer } = this.options;
    if (observer === undefined && this.requestLog.isOff) return;
    const milliseconds = performance.now() - start;
    const operation = route === undefined ? exchange.tool?.operation : nameOf(route);
    onceOver(exchange.response, exchange.request.socket, (ended) => {
      const status = exchange.statusOf(ended);
      // User code may have responded to refused credentials in its own way.
      const refusal = status >= 400 ? exchange.refusal : undefined;
      observer?.requestEnded(operation, status, ended, milliseconds / 1000, refusal);
      this.requestLog.ended(exchange, operation, { status, ended, milliseconds, refusal });
    });
  }
}

const noLimits: readonly RequestLimits[] = [];

/** Gives back the counts of refused requests if the request was not refused. A client that leaves early may have been refused. */
function giveBackCounts(exchange: Exchange): void {
  const { response, request, tool } = exchange;
  onceOver(response, request.socket, (ended) => {
    const sent = tool?.status ?? response.statusCode;
    const status = response.headersSent ? sent : ended === 'left' ? 499 : 500;
    if (status < 400 || status >= 500) giveBackRefused(exchange);
  });
}

function giveBackRefused({ counts }: Exchange): void {
  for (const count of counts) if (count.isOfRefused) count.giveBack();
}

/** Makes the request available to runtime functions called by user code. */
function offerRequest(offered: OwnRequest): void {
  const { request, limits, accept } = offered;
  offeredRequests.set(request, offered);
  offerRawBody(request, limits, accept);
}
