/** The port of `apikiln dev`: passes requests on to the version of the service that runs, so that versions change without anybody noticing. */
import {
  createServer,
  request as send,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Trace } from '../../runtime/trace/steps.js';
import type { Problems } from './problems.js';
import type { SeenRequest, SeenRun } from './request-lines.js';
import type { TimedRun } from './service-process.js';
import type { TimedOperation } from './timed-operations.js';

/** Where requests go. */
export interface Backend {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  /** Runs a timed operation now; undefined where it could not. */
  runTimer?(operation: string): Promise<TimedRun | undefined>;
}

export interface FrontOptions {
  /** The script of the overlay. */
  readonly overlay: string;
  /** Receives every request after its response. */
  readonly seen: (request: SeenRequest) => void;
  /** Receives every run of a timed operation that the page has started, after its end. */
  readonly ran: (run: SeenRun) => void;
}

/** What the overlay shows. */
interface State extends Problems {
  /** Differs when the API description does; empty until there is one. */
  readonly description: string;
  /** Operations that the page can run at once. */
  readonly timers: readonly TimedOperation[];
}

const page = '/docs-ui';
const own = `${page}/apikiln-dev`;
const nothing: State = { title: '', note: '', problems: [], description: '', timers: [] };

/** Why a request failed. */
const unavailable = 'The service is not running: the terminal of apikiln dev shows why';

export class Front {
  readonly #server: Server;
  readonly #pages = new Set<ServerResponse>();
  /** How many requests each of them is handling. */
  readonly #busy = new Map<Backend, number>();
  readonly #idle = new Map<Backend, () => void>();
  #backend: Backend | undefined;
  #state = nothing;
  /** Handles the requests that arrived before the first start was over; undefined since then. */
  #waiting: (() => void)[] | undefined = [];

  constructor(private readonly options: FrontOptions) {
    // No time limits: the service has them.
    this.#server = createServer({ requestTimeout: 0, headersTimeout: 0, maxHeaderSize: 1024 * 1024 });
    this.#server.on('request', (request, response) => {
      this.#respond(request, response);
    });
  }

  /** Returns the port. Rejects with the system's error. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', reject);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  /** The first start is over, successful or not: handles the requests that arrived in the meantime, and all later ones. */
  open(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const respond of waiting) respond();
  }

  /** From now on requests go there. Resolves when the previous one has finished all of its own. */
  async use(backend: Backend | undefined): Promise<void> {
    const before = this.#backend;
    this.#backend = backend;
    if (before === undefined || !this.#busy.has(before)) return;
    await new Promise<void>((resolve) => this.#idle.set(before, resolve));
  }

  /** Shows problems on the test page, or removes them; `service` if there is another version. */
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
    if (path === `${own}.js`) sendText(response, 200, 'text/javascript; charset=utf-8', this.options.overlay);
    else if (path === `${own}/events`) this.#subscribe(response);
    else if (path === `${own}/run`) void this.#run(request, response);
    else if (this.#waiting !== undefined)
      this.#waiting.push(() => {
        if (!response.destroyed) this.#respond(request, response);
      });
    else if (this.#backend !== undefined) this.#pass(request, response, this.#backend, path === page);
    else if (path === page) sendText(response, 503, 'text/html; charset=utf-8', withOverlay(emptyPage));
    else sendMessage(response, 503, unavailable);
  }

  /** Pages of other origins cannot send the header without a preflight request, which is never allowed. */
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
    const start = performance.now();
    const { method = 'GET', url: target = '/' } = request;
    const isTraced = request.headers['x-trace'] !== undefined;
    this.#begin(backend);
    const outgoing = send(backend.url + '/', {
      method,
      path: target,
      headers: forwarded(request, isPage, isTraced),
      // One connection for each: a kept one might be closed by the other side just now.
      agent: false,
    });
    let traceId: string | undefined;
    const end = once(() => {
      const seen = { method, target, status: response.statusCode, milliseconds: performance.now() - start };
      void fetchTrace(backend, traceId).then((trace) => {
        if (!target.startsWith(page) && !target.startsWith('/v3/api-docs'))
          this.options.seen({ ...seen, trace });
        this.#release(backend);
      });
    });
    outgoing.on('response', (incoming) => {
      const header = incoming.headers['x-trace-id'];
      traceId = typeof header === 'string' ? header : undefined;
      if (isPage && incoming.headers['content-type']?.startsWith('text/html') === true) {
        void sendPage(incoming, response);
        return;
      }
      response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, headerLines(incoming, isTraced));
      incoming.pipe(response);
      incoming.on('error', () => response.destroy());
    });
    outgoing.on('error', () => {
      if (response.headersSent) response.destroy();
      else sendMessage(response, 502, unavailable);
    });
    response.on('close', () => {
      if (!response.writableFinished) outgoing.destroy();
      end();
    });
    request.pipe(outgoing);
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

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}

/** Those of the client as it wrote them, with the wish for a trace. */
function forwarded(request: IncomingMessage, isPage: boolean, isTraced: boolean): string[] {
  const headers: string[] = [];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(index, index + 2);
    // The page is changed on its way, so it must arrive as a whole and as text.
    if (isPage && /^(?:accept-encoding|if-none-match|if-modified-since)$/i.test(name)) continue;
    // This server has received the body already.
    if (!/^(?:connection|keep-alive|expect)$/i.test(name)) headers.push(name, value);
  }
  const { method = '', headers: named } = request;
  const hasNoBody = named['content-length'] === undefined && named['transfer-encoding'] === undefined;
  // Else Node would send an empty body in chunks.
  if (hasNoBody && /^(?:POST|PUT|PATCH)$/.test(method)) headers.push('Content-Length', '0');
  if (!isTraced) headers.push('X-Trace', '1');
  return [...headers, 'Connection', 'close'];
}

function headerLines(incoming: IncomingMessage, isTraced: boolean): string[] {
  const headers: string[] = [];
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    const [name = '', value = ''] = incoming.rawHeaders.slice(index, index + 2);
    const isOurs = /^(?:connection|keep-alive)$/i.test(name) || (!isTraced && /^x-trace-id$/i.test(name));
    if (!isOurs) headers.push(name, value);
  }
  return headers;
}

async function sendPage(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    response.destroy();
    return;
  }
  const gone = ['content-length', 'connection', 'keep-alive', 'transfer-encoding'];
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).filter(([name]) => !gone.includes(name)),
  );
  const text = withOverlay(Buffer.concat(chunks).toString('utf8'));
  sendText(response, incoming.statusCode ?? 502, 'text/html; charset=utf-8', text, headers);
}

function withOverlay(html: string): string {
  return html.replace('</body>', `  <script src="docs-ui/apikiln-dev.js" type="module"></script>\n  </body>`);
}

const emptyPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Test page</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
  </head>
  <body>
    <p>The service is not running yet.</p>
  </body>
</html>
`;

function sendText(
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.destroyed) return;
  const length = Buffer.byteLength(text);
  response
    .writeHead(status, {
      ...headers,
      'content-type': type,
      'content-length': length,
      'cache-control': 'no-store',
    })
    .end(text);
}

function sendMessage(response: ServerResponse, status: number, message: string): void {
  sendText(response, status, 'application/json; charset=utf-8', JSON.stringify({ message }));
}

/** What the service has recorded of the last call. */
function fetchTrace(backend: Backend, id: string | undefined): Promise<Trace | undefined> {
  if (id === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const outgoing = send(
      `${backend.url}${page}/trace/${encodeURIComponent(id)}`,
      { agent: false },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          resolve(
            incoming.statusCode === 200
              ? (JSON.parse(Buffer.concat(chunks).toString('utf8')) as Trace)
              : undefined,
          );
        });
        incoming.on('error', () => {
          resolve(undefined);
        });
      },
    );
    outgoing.on('error', () => {
      resolve(undefined);
    });
    outgoing.end();
  });
}
