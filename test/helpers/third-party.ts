/** A third-party API simulated by the test: it responds as configured, and records requests byte for byte. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A request, and the responses to it. */
export interface Playing extends PlayedResponse {
  /** Method and target as sent: `GET /geo/search?name=Brno`. */
  readonly request: string;
  /** Responses sent in turn, starting again after the last one. */
  readonly responses?: readonly PlayedResponse[];
  /** The request may be sent at any time by a timed operation: it receives a response, but is not recorded. */
  readonly timed?: boolean;
}

export interface PlayedResponse {
  readonly status?: number;
  readonly header?: Readonly<Record<string, string>>;
  /** A JSON body. */
  readonly json?: unknown;
  /** A raw body; its default content type is JSON. */
  readonly text?: string;
  /** Closes the connection instead of responding. */
  readonly fault?: 'reset';
}

/** A received request. */
export interface Received {
  readonly request: string;
  readonly headers: IncomingHttpHeaders;
  /** The body, with the boundary of a multipart body replaced by BOUNDARY. */
  readonly body: string;
}

/** Responds to a request in any way; the request body has already been read. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

export class ThirdParty {
  /** Requests since the last `take`. */
  #received: Received[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** The requests in `unrecorded` receive responses but are not recorded. */
  static async start(behaviour: Behaviour, unrecorded: readonly string[] = []): Promise<ThirdParty> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const party = new ThirdParty(server, `http://127.0.0.1:${port}`);
    server.on('connection', (socket) => {
      party.#sockets.add(socket);
      socket.on('close', () => party.#sockets.delete(socket));
    });
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        const received = recorded(request, body);
        if (!unrecorded.includes(received.request)) party.#received.push(received);
        behaviour(request, response, body);
      });
    });
    return party;
  }

  /** The requests since the last call, in order. */
  take(): Received[] {
    const received = this.#received;
    this.#received = [];
    return received;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Responds as listed; other requests receive 404. */
export function playing(list: readonly Playing[]): Behaviour {
  const counts = new Map<Playing, number>();
  return ({ method, url }, response) => {
    const played = list.find(({ request }) => request === `${String(method)} ${String(url)}`);
    const count = played === undefined ? 0 : (counts.get(played) ?? 0);
    if (played !== undefined) counts.set(played, count + 1);
    const found = played?.responses?.[count % played.responses.length] ?? played;
    if (found?.fault === 'reset') {
      response.destroy();
      return;
    }
    const text = found?.text ?? (found?.json === undefined ? '' : JSON.stringify(found.json));
    const type = text === '' ? {} : { 'content-type': 'application/json' };
    response.writeHead(found === undefined ? 404 : (found.status ?? 200), { ...type, ...found?.header });
    response.end(text);
  };
}

function recorded({ method, url, headers }: IncomingMessage, body: Buffer): Received {
  const boundary = /boundary=(\S+)/.exec(headers['content-type'] ?? '')?.[1];
  const text = body.toString('utf8');
  return {
    request: `${String(method)} ${String(url)}`,
    headers,
    body: boundary === undefined ? text : text.replaceAll(boundary, 'BOUNDARY'),
  };
}
