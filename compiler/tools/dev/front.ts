/** The port of `apikiln dev`: forwards requests to the running version of the service, so that clients do not notice version changes. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isSafe, senderOf } from '../../../runtime/http/page-origin.js';
import { isForOwnHost, ownHosts } from '../local/own-hosts.js';
import { page, sendEmptyPage, sendMessage, sendText, unavailable } from './front-pages.js';
import { passRequest, type Backend } from './pass-request.js';
import type { PageLogin } from './page-login.js';
import type { Problems } from './problems.js';
import type { SeenRequest, SeenRun } from './request-lines.js';
import { shownTarget } from './shown-target.js';
import type { TimedOperation } from './timed-operations.js';

export interface FrontOptions {
  /** The script of the overlay. */
  readonly overlay: string;
  /** The script that logs in on the test page. */
  readonly loginScript: string;
  /** Receives every request after its response. */
  readonly seen: (request: SeenRequest) => void;
  /** Receives every run of a timed operation started from the page, after its end. */
  readonly ran: (run: SeenRun) => void;
}

/** The content of the overlay. */
interface State extends Problems {
  /** Changes with the API description; empty until there is one. */
  readonly description: string;
  /** Operations that the page can run immediately. */
  readonly timers: readonly TimedOperation[];
}

const own = `${page}/apikiln-dev`;
/** Reasons for refusing requests. */
const otherHost = 'apikiln dev responds only to localhost, 127.0.0.1, [::1] and HOST';
const otherPage =
  'apikiln dev refuses requests from pages of other origins: list the allowed origins in CORS_ORIGIN';
const nothing: State = { title: '', note: '', problems: [], description: '', timers: [] };

export class Front {
  readonly #server: Server;
  #hosts = ownHosts('127.0.0.1');
  readonly #pages = new Set<ServerResponse>();
  /** Number of requests in flight per backend. */
  readonly #busy = new Map<Backend, number>();
  readonly #idle = new Map<Backend, () => void>();
  #backend: Backend | undefined;
  #state = nothing;
  /** Responds to the test page that logs in. */
  login: PageLogin | undefined;
  /** Origins of pages that may send requests that change data, in addition to the service's own origin: those in CORS_ORIGIN. */
  origins: ReadonlySet<string> = new Set();
  /** Query parameters whose values are not printed. */
  hidden: ReadonlySet<string> = new Set();
  /** Handlers of requests that arrived before the first start; undefined after it. */
  #waiting: (() => void)[] | undefined = [];

  constructor(private readonly options: FrontOptions) {
    // Time limits are left to the service.
    this.#server = createServer({ requestTimeout: 0, headersTimeout: 0, maxHeaderSize: 1024 * 1024 });
    this.#server.on('request', (request, response) => {
      this.#respond(request, response);
    });
    // Node's default response to an invalid request has no body.
    this.#server.on('clientError', (error: Error & { code?: string }, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
      else socket.end(refusal);
    });
  }

  /** Matches the hosts that the port responds to. */
  get hosts(): RegExp {
    return this.#hosts;
  }

  /** Returns the port. Rejects with the system error. */
  listen(host: string, port: number): Promise<number> {
    this.#hosts = ownHosts(host);
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', reject);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  /** Call after the first start, successful or not: handles waiting requests, and all later ones immediately. */
  open(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const respond of waiting) respond();
  }

  /** Routes new requests to the backend. Resolves when the previous backend has finished its requests. */
  async use(backend: Backend | undefined): Promise<void> {
    const before = this.#backend;
    this.#backend = backend;
    if (before === undefined || !this.#busy.has(before)) return;
    await new Promise<void>((resolve) => this.#idle.set(before, resolve));
  }

  /** Shows problems on the test page, or removes them; `service` describes a new version. */
  show(problems: Problems | undefined, service: Pick<State, 'description' | 'timers'> = this.#state): void {
    const { description, timers } = service;
    this.#state = { ...(problems ?? nothing), description, timers };
    for (const response of this.#pages) this.#notify(response);
  }

  async close(): Promise<void> {
    for (const response of this.#pages) response.end();
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
    this.#server.closeAllConnections();
    await closed;
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const [path] = (request.url ?? '').split('?', 1);
    if (!isForOwnHost(request.headers.host, this.#hosts)) sendMessage(response, 403, otherHost);
    // Any web page can send forms to this port, and a service under development is often open.
    else if (!isSafe(request.method) && senderOf(request.headers, this.origins) === 'other')
      this.#refuse(request, response);
    else if (path === `${own}.js`)
      sendText(response, 200, 'text/javascript; charset=utf-8', this.options.overlay);
    else if (path === `${own}-login.js`)
      sendText(response, 200, 'text/javascript; charset=utf-8', this.options.loginScript);
    else if (path === `${own}/events`) this.#subscribe(response);
    else if (path === `${own}/run`) void this.#run(request, response);
    else if (path?.startsWith(`${own}/login/`) === true)
      this.#logIn(path.slice(`${own}/login/`.length), request, response);
    else if (this.#waiting !== undefined)
      this.#waiting.push(() => {
        if (!response.destroyed) this.#respond(request, response);
      });
    else if (this.#backend !== undefined) this.#pass(request, response, this.#backend, path === page);
    else if (path === page) sendEmptyPage(response);
    else sendMessage(response, 503, unavailable);
  }

  #refuse({ method = '', url: target = '' }: IncomingMessage, response: ServerResponse): void {
    sendMessage(response, 403, otherPage);
    this.#see({ method, target, status: 403, milliseconds: 0, trace: undefined });
  }

  /** Pages of other origins cannot send this header without a preflight request, which is never allowed. */
  async #run({ method, url = '', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const operation = new URLSearchParams(/\?(.*)$/s.exec(url)?.[1] ?? '').get('operation') ?? '';
    const backend = this.#backend;
    const isKnown = this.#state.timers.some(({ name }) => name === operation);
    if (method !== 'POST' || headers['x-apikiln-dev'] !== 'run') sendMessage(response, 403, 'Forbidden');
    else if (!isKnown) sendMessage(response, 404, `There is no timed operation '${operation}'`);
    else if (backend?.runTimer === undefined) sendMessage(response, 503, unavailable);
    else {
      const start = performance.now();
      this.#begin(backend);
      const run = await backend.runTimer(operation);
      const milliseconds = performance.now() - start;
      const { succeeded = false, trace } = run ?? {};
      this.options.ran({ operation, succeeded, milliseconds, trace });
      this.#release(backend);
      const text = JSON.stringify({ succeeded, milliseconds: Math.round(milliseconds) });
      sendText(response, 200, 'application/json; charset=utf-8', text);
    }
  }

  #logIn(action: string, request: IncomingMessage, response: ServerResponse): void {
    if (this.login === undefined || !['callers', 'credentials', 'curl'].includes(action)) {
      sendMessage(response, 404, 'Not found');
      return;
    }
    // A client that disconnects ends the body with an error.
    this.login.respond(action, request, response).catch(() => response.destroy());
  }

  #subscribe(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    this.#pages.add(response);
    response.on('close', () => this.#pages.delete(response));
    this.#notify(response);
  }

  #notify(response: ServerResponse): void {
    response.write(`data: ${JSON.stringify(this.#state)}\n\n`);
  }

  #pass(request: IncomingMessage, response: ServerResponse, backend: Backend, isPage: boolean): void {
    this.#begin(backend);
    passRequest(request, response, backend, isPage, (seen) => {
      if (!seen.target.startsWith(page) && !seen.target.startsWith('/v3/api-docs')) this.#see(seen);
      this.#release(backend);
    });
  }

  #see(seen: SeenRequest): void {
    this.options.seen({ ...seen, target: shownTarget(seen.target, this.hidden) });
  }

  #begin(backend: Backend): void {
    this.#busy.set(backend, (this.#busy.get(backend) ?? 0) + 1);
  }

  #release(backend: Backend): void {
    const count = (this.#busy.get(backend) ?? 1) - 1;
    if (count > 0) {
      this.#busy.set(backend, count);
      return;
    }
    this.#busy.delete(backend);
    this.#idle.get(backend)?.();
    this.#idle.delete(backend);
  }
}

/** The service's response to an invalid request. */
const refusal = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: application/json; charset=utf-8',
  'Connection: close',
  '',
  '{"message":"Bad Request"}',
].join('\r\n');
