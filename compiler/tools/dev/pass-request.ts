/** Passes a request on to the running version of the service, and its response back to the client. */
import { request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Trace } from '../../../runtime/trace/steps.js';
import { page, sendMessage, sendPage, unavailable } from './front-pages.js';
import type { SeenRequest } from './request-lines.js';
import type { TimedRun } from './service-process.js';

/** Where requests go. */
export interface Backend {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  /** Runs a timed operation now; undefined where it could not. */
  runTimer?(operation: string): Promise<TimedRun | undefined>;
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
  const { method = 'GET', url: target = '/' } = request;
  const isTraced = request.headers['x-trace'] !== undefined;
  const outgoing = send(backend.url + '/', {
    method,
    path: target,
    headers: forwarded(request, isPage, isTraced),
    // One connection for each: a kept one might be closed by the other side just now.
    agent: false,
  });
  let traceId: string | undefined;
  const end = once(() => {
    // The client has gone away before there was one.
    const status = response.headersSent ? response.statusCode : 499;
    const seen = { method, target, status, milliseconds: performance.now() - start };
    void fetchTrace(backend, traceId).then((trace) => {
      done({ ...seen, trace });
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

/** The headers of the client as it wrote them, with the request for a trace. */
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

/** Also for clients with HTTP/1.0, whose bodies end with the connection: an orderly end would look like the end of the body. */
function reset({ socket }: ServerResponse): void {
  socket?.resetAndDestroy();
}
