/** A third party's API on this machine: passes each request to its callback, and sends the response of the callback. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isForOwnHost, ownHosts } from './own-hosts.js';

/** A request as it arrived. */
export interface StubRequest {
  readonly method: string;
  /** Percent-encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface StubResponse {
  /** 200 when it is left out. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Empty when it is left out. */
  readonly body?: string | Buffer;
  /** `timeout`: it never responds. `reset`: the connection is reset. `cut`: it is closed in the middle of the body. */
  readonly fault?: StubFault;
  /** Milliseconds before it responds. */
  readonly delay?: number;
}

export const stubFaults = ['timeout', 'reset', 'cut'] as const;
export type StubFault = (typeof stubFaults)[number];

/** Acts as the third party. `isAwaited`: whether the client still waits for the response. */
export type Play = (request: StubRequest, isAwaited: () => boolean) => StubResponse | Promise<StubResponse>;

export class StubServer {
  readonly #sockets: Set<Socket>;

  private constructor(
    /** `http://127.0.0.1:41234`, without a slash at its end. */
    readonly url: string,
    private readonly close: () => Promise<void>,
    sockets: Set<Socket>,
  ) {
    this.#sockets = sockets;
  }

  /** One server, on any free port. */
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

  /** Closes connections that still wait for a response. */
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
    // A service may send a request again that breaks off on a connection that was kept.
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
