/** `node:http`: a server whose requests come from the page. */
import { Buffer } from 'buffer';
import { Readable, Writable } from 'readable-stream';
import type { PageRequest, PageResponse } from '../messages.js';
import { Server as NetServer, Socket } from './net.js';

export class IncomingMessage extends Readable {
  method = 'GET';
  url = '/';
  headers: Record<string, string> = {};
  rawHeaders: string[] = [];
  httpVersion = '1.1';
  httpVersionMajor = 1;
  httpVersionMinor = 1;
  complete = false;
  aborted = false;

  constructor(readonly socket: Socket) {
    super();
    this.once('end', () => {
      this.complete = true;
    });
  }

  override _read(): void {
    // `begin` provides the whole body.
  }

  begin({ method, url, headers, body }: PageRequest): void {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()] as const);
    this.method = method;
    this.url = url;
    this.headers = {
      host: 'localhost:8080',
      ...Object.fromEntries(lower),
      ...(bytes === undefined ? {} : { 'content-length': String(bytes.length) }),
    };
    this.rawHeaders = Object.entries(this.headers).flat();
    if (bytes !== undefined) this.push(bytes);
    else this.complete = true;
    this.push(null);
  }

  get headersDistinct(): Record<string, string[]> {
    return Object.fromEntries(Object.entries(this.headers).map(([name, value]) => [name, [value]]));
  }

  _dump(): void {
    this.resume();
  }

  setTimeout(): this {
    return this;
  }
}

type HeaderValue = string | number | readonly string[];

export class ServerResponse extends Writable {
  statusCode = 200;
  statusMessage = '';
  headersSent = false;
  shouldKeepAlive = true;
  sendDate = true;
  readonly socket: Socket;
  readonly #headers = new Map<string, readonly [name: string, value: HeaderValue]>();
  readonly #chunks: Uint8Array[] = [];

  constructor(
    readonly req: IncomingMessage,
    done: (response: PageResponse) => void,
  ) {
    super({ decodeStrings: true });
    this.socket = req.socket;
    this.once('finish', () => {
      done({
        status: this.statusCode,
        headers: [...this.#headers.values()].flatMap(([name, value]) =>
          Array.isArray(value)
            ? (value as readonly string[]).map((one) => [name, one] as const)
            : [[name, String(value)] as const],
        ),
        body: new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(this.#chunks)),
      });
    });
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.headersSent = true;
    if (this.req.method !== 'HEAD') this.#chunks.push(chunk);
    done();
  }

  override end(...values: unknown[]): this {
    this.headersSent = true;
    Reflect.apply(super.end, this, values);
    return this;
  }

  setHeader(name: string, value: HeaderValue): this {
    this.#headers.set(name.toLowerCase(), [name, value]);
    return this;
  }

  appendHeader(name: string, value: string | readonly string[]): this {
    const known = this.getHeader(name);
    return this.setHeader(name, known === undefined ? value : [known, value].flat().map(String));
  }

  getHeader(name: string): HeaderValue | undefined {
    return this.#headers.get(name.toLowerCase())?.[1];
  }

  getHeaders(): Record<string, HeaderValue> {
    return Object.fromEntries([...this.#headers].map(([name, [, value]]) => [name, value]));
  }

  getHeaderNames(): string[] {
    return [...this.#headers.keys()];
  }

  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase());
  }

  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase());
  }

  writeHead(status: number, ...rest: unknown[]): this {
    this.statusCode = status;
    const headers = rest.find((one) => typeof one === 'object' && one !== null);
    if (Array.isArray(headers)) {
      // Names and values in turn, or pairs.
      const flat = (Array.isArray(headers[0]) ? headers.flat(1) : headers) as HeaderValue[];
      const names = new Set<string>();
      for (let index = 0; index < flat.length; index += 2) {
        const name = String(flat[index]);
        const value = flat[index + 1] ?? '';
        if (names.has(name.toLowerCase())) this.appendHeader(name, [value].flat().map(String));
        else this.setHeader(name, value);
        names.add(name.toLowerCase());
      }
    } else
      for (const [name, value] of Object.entries((headers ?? {}) as Record<string, HeaderValue>))
        this.setHeader(name, value);
    this.headersSent = true;
    return this;
  }

  flushHeaders(): void {
    this.headersSent = true;
  }

  writeContinue(): void {
    // The body is already there.
  }

  setTimeout(): this {
    return this;
  }
}

/** The server of the service that was started last. */
let current: Server | undefined;

export class Server extends NetServer {
  maxHeadersCount = 0;
  keepAliveTimeout = 0;
  timeout = 0;

  constructor(private readonly options: { readonly IncomingMessage?: typeof IncomingMessage } = {}) {
    super();
  }

  override listen(...values: unknown[]): this {
    current = this;
    return super.listen(...values);
  }

  setTimeout(): this {
    return this;
  }

  closeIdleConnections(): void {
    // There are no connections.
  }

  closeAllConnections(): void {
    // There are no connections.
  }

  receive(sent: PageRequest): Promise<PageResponse> {
    return new Promise((resolve, reject) => {
      const request = new (this.options.IncomingMessage ?? IncomingMessage)(new Socket());
      request.begin(sent);
      const response = new ServerResponse(request, resolve);
      response.once('error', reject);
      this.emit('request', request, response);
    });
  }
}

/** Sends a request to the running service. */
export function receive(request: PageRequest): Promise<PageResponse> {
  if (current === undefined) throw new Error('The service does not run');
  return current.receive(request);
}

export const createServer = (options?: { readonly IncomingMessage?: typeof IncomingMessage }): Server =>
  new Server(options);

export const STATUS_CODES: Readonly<Record<number, string>> = {
  ...{
    100: 'Continue',
    200: 'OK',
    201: 'Created',
    202: 'Accepted',
    204: 'No Content',
    206: 'Partial Content',
  },
  ...{ 301: 'Moved Permanently', 302: 'Found', 303: 'See Other', 304: 'Not Modified' },
  ...{ 307: 'Temporary Redirect', 308: 'Permanent Redirect', 400: 'Bad Request', 401: 'Unauthorized' },
  ...{ 402: 'Payment Required', 403: 'Forbidden', 404: 'Not Found', 405: 'Method Not Allowed' },
  ...{ 406: 'Not Acceptable', 408: 'Request Timeout', 409: 'Conflict', 410: 'Gone', 411: 'Length Required' },
  ...{ 412: 'Precondition Failed', 413: 'Payload Too Large', 414: 'URI Too Long' },
  ...{
    415: 'Unsupported Media Type',
    417: 'Expectation Failed',
    418: "I'm a Teapot",
    421: 'Misdirected Request',
  },
  ...{ 422: 'Unprocessable Entity', 423: 'Locked', 424: 'Failed Dependency', 425: 'Too Early' },
  ...{ 426: 'Upgrade Required', 428: 'Precondition Required', 429: 'Too Many Requests' },
  ...{ 431: 'Request Header Fields Too Large', 451: 'Unavailable For Legal Reasons' },
  ...{ 500: 'Internal Server Error', 501: 'Not Implemented', 502: 'Bad Gateway', 503: 'Service Unavailable' },
  ...{ 504: 'Gateway Timeout', 507: 'Insufficient Storage' },
};

export const maxHeaderSize = 16_384;
export const validateHeaderName = (name: string): void => {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
    throw new TypeError(`Header name must be a valid HTTP token ["${name}"]`);
};
export const validateHeaderValue = (name: string, value: string): void => {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new TypeError(`Invalid character in header content ["${name}"]`);
};
export class Agent {}
export const request = (): never => {
  throw new Error('The playground sends no requests to third parties');
};
export default { Agent, Server, IncomingMessage, ServerResponse, STATUS_CODES, createServer, request };
