/** Forwards a request to the running version of the service, and its response to the client. */
import { request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Trace } from '../../../runtime/trace/steps.js';
import { page, sendMessage, sendPage, unavailable } from './front-pages.js';
import type { SeenRequest } from './request-lines.js';
import type { TimedRun } from './service-process.js';

/** The target of requests. */
export interface Backend {
  /** Such as `http://127.0.0.1:41234`. */
  readonly url: string;
  /** Runs a timed operation immediately; undefined if it could not run. */
  runTimer?(operation: string): Promise<TimedRun | undefined>;
  /** Why the credentials of the request were refused; undefined if they were not. */
  refusalOf?(requestId: string): Promise<string | undefined>;
}

/** `done` is called once, when the response has ended. */
export function passRequest(
  request: IncomingMessage,
  response: ServerResponse,
  backend: Backend,
  isPage: boolean,
  done: (seen: SeenRequest) => void,
): void {
  const start = performance.now();
  const { method = 'GET', url: target = '/', headers } = request;
  const isFromProgram = headers.origin === undefined && headers['sec-fetch-site'] === undefined;
  const isTraced = headers['x-trace'] !== undefined;
  const outgoing = send(backend.url + '/', {
    method,
    path: target,
    headers: forwarded(request, isPage, isTraced),
    // One connection per request: the service might be closing a kept-alive connection.
    agent: false,
  });
  let traceId: string | undefined;
  let requestId: string | undefined;
  const end = once(() => {
    // The client disconnected before the response started.
    const status = response.headersSent ? response.statusCode : 499;
    const seen = { method, target, isFromProgram, status, milliseconds: performance.now() - start };
    void Promise.all([fetchTrace(backend, traceId), fetchRefusal(backend, seen.status, requestId)]).then(
      ([trace, refusal]) => {
        done({ ...seen, trace, refusal });
      },
    );
  });
  outgoing.on('response', (incoming) => {
    traceId = headerOf(incoming, 'x-trace-id');
    requestId = headerOf(incoming, 'x-request-id');
    if (isPage && incoming.headers['content-type']?.startsWith('text/html') === true) {
      void sendPage(incoming, response);
      return;
    }
    response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, headerLines(incoming, isTraced));
    incoming.pipe(response);
    incoming.on('error', () => {
      reset(response);
    });
  });
  outgoing.on('error', () => {
    if (response.headersSent) reset(response);
    else sendMessage(response, 502, unavailable);
  });
  response.on('close', () => {
    if (!response.writableFinished) outgoing.destroy();
    end();
  });
  request.pipe(outgoing);
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}

/** Sent by the test page in place of `Cookie`, which scripts cannot set. */
const cookieOfPage = /^x-apikiln-cookie$/i;

/** The client's headers unchanged, plus the header that requests a trace. */
function forwarded(request: IncomingMessage, isPage: boolean, isTraced: boolean): string[] {
  const headers: string[] = [];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(index, index + 2);
    // The page is modified in transit, so it must arrive uncompressed and in full.
    if (isPage && /^(?:accept-encoding|if-none-match|if-modified-since)$/i.test(name)) continue;
    // The body has already been received by this server.
    if (!/^(?:connection|keep-alive|expect)$/i.test(name))
      headers.push(cookieOfPage.test(name) ? 'Cookie' : name, value);
  }
  const { method = '', headers: named } = request;
  const hasNoBody = named['content-length'] === undefined && named['transfer-encoding'] === undefined;
  // Otherwise Node would send an empty chunked body.
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

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

async function fetchRefusal(
  backend: Backend,
  status: number,
  requestId: string | undefined,
): Promise<string | undefined> {
  return status < 400 || requestId === undefined ? undefined : backend.refusalOf?.(requestId);
}

/** The trace that the service has recorded of the last call. */
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

/** Resets HTTP/1.0 connections too: their bodies end with the connection, so an orderly close would look like a complete body. */
function reset({ socket }: ServerResponse): void {
  socket?.resetAndDestroy();
}
