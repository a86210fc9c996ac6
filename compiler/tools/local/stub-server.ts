/** A local stub for a third-party API: passes each request to a callback, and sends the response that it returns. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isForOwnHost, ownHosts } from './own-hosts.js';

/** A request as received. */
export interface StubRequest {
  readonly method: string;
  /** The percent-encoded path without query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface StubResponse {
  /** 200 if omitted. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Empty if omitted. */
  readonly body?: string | Buffer;
  /** `timeout`: never responds. `reset`: resets the connection. `cut`: closes the connection in the middle of the body. */
  readonly fault?: StubFault;
  /** Milliseconds before responding. */
  readonly delay?: number;
}

export const stubFaults = ['timeout', 'reset', 'cut'] as const;
export type StubFault = (typeof stubFaults)[number];

/** Plays the third party. `isAwaited`: whether the client is still waiting for the response. */
export type Play = (request: StubRequest, isAwaited: () => boolean) => StubResponse | Promise<StubResponse>;

export class StubServer {
  readonly #sockets: Set<Socket>;

  private constructor(
    /** Such as `http://127.0.0.1:41234`, without a trailing slash. */
    readonly url: string,
    private readonly close: () => Promise<void>,
    sockets: Set<Socket>,
  ) {
    this.#sockets = sockets;
  }

  /** Starts a server on any free port. */
  static async start(play: Play): Promise<StubServer> {
    const server = createServer();
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    const hosts = ownHosts('127.0.0.1');
    server.on('request', (request, response) => {
      if (!isForOwnHost(request.headers.host, hosts)) {
        response.writeHead(403, { connection: 'close' }).end();
        return;
      }
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => {
        const [path = '', query = ''] = splitOnce(request.url ?? '', '?');
        const { method = 'GET', headers } = request;
        const seen = {
          method,
          path,
          query: new URLSearchParams(query),
          headers,
          body: Buffer.concat(chunks),
        };
        void Promise.resolve(play(seen, () => !request.socket.destroyed)).then((played) => {
          respond(response, played);
        });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const close = (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    return new StubServer(`http://127.0.0.1:${port}`, close, sockets);
  }

  /** Closes connections that are still waiting for a response. */
  breakOff(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.breakOff();
    await this.close();
  }
}

function respond(
  response: ServerResponse,
  { status = 200, headers = {}, body = '', fault, delay = 0 }: StubResponse,
): void {
  const send = (): void => {
    if (fault === 'timeout') return;
    if (fault === 'reset') {
      response.destroy();
      return;
    }
    if (fault === 'cut') {
      response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body) + 1) });
      response.write(body, () => response.destroy());
      return;
    }
    // Connections are not kept alive: a service might resend a request that breaks off on a kept-alive connection.
    response.writeHead(status, { connection: 'close', ...headers });
    response.end(body);
  };
  if (delay > 0) setTimeout(send, delay);
  else send();
}

function splitOnce(text: string, at: string): string[] {
  const index = text.indexOf(at);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}
