/** A request with its response, the request id for responses and logs (`X-Request-Id`), and replies that send themselves. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { randomBytes } from 'node:crypto';
import type { Json } from '../handler/json.js';
import type { ErrorInfo, HeaderList } from '../handler/reply.js';
import type { Call } from '../handler/call.js';
import type { Ended } from './response-end.js';
import type { RequestCount } from '../limits/request-count.js';
import type { Omitted } from '../responses/omitted-fields.js';
import type { Refusal } from '../authentication/refusal.js';

/** JSON as a string, or as pieces of bytes if it is long. */
export type Content = string | readonly Buffer[];

/** Sends JSON. In `headers`, names and values alternate. */
export type SendText = (
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: HeaderList,
  content: Content,
) => void;

/** A compressor for streamed responses. */
export interface Packer extends Transform {
  /** Sends all data written so far, then calls back. */
  flush(done: () => void): void;
}

/** Creates the compressor for a response of unknown length; undefined if the client does not accept compression. */
export type PackParts = (
  request: IncomingMessage,
) => { readonly encoding: string; readonly packer: Packer } | undefined;

/** Optional parts of a server. */
export interface HttpParts {
  /** Creates error bodies; the default body is `{"message"}`. */
  readonly errors?: ErrorBodies | undefined;
  /** Enables requests from pages of other origins. */
  readonly cors?: CorsHeaders | undefined;
  /** Sends compressed bodies. */
  readonly sendCompressed?: SendText | undefined;
  readonly packParts?: PackParts | undefined;
}

/** Sets the CORS headers. */
export interface CorsHeaders {
  /** Returns true if the request was a preflight and the response has been sent. Throws a ServiceError 400 for a malformed path. */
  respond(exchange: Exchange): boolean;
}

/** The body of an error and its content type. */
export type ErrorContent =
  { readonly type: string; readonly body: Json } | { readonly type: string; readonly text: string };

/** Creates error bodies; undefined means the default body. */
export type ErrorBodies = (error: ErrorInfo) => ErrorContent | undefined;

export interface ExchangeServer {
  readonly options: HttpParts;
  /** Whether every response closes its connection; may change during a request. */
  readonly responsesAreLast: boolean;
}

/** A request with its response. */
export class Exchange {
  readonly requestId: string;
  /** Whether the connection must close after this response. */
  closeAfter = false;
  /** The call of the operation, whose memory is released when the memory of the response is counted. */
  call: (Call & { release(): void }) | undefined;
  /** The counts of its limits. */
  readonly counts: RequestCount[] = [];
  /** Why its credentials were refused, for the log and the metrics. */
  refusal: Refusal | undefined;
  /** The operation that it calls as a tool, and its status, which the response contains. */
  tool: { readonly operation: string; status: number | undefined } | undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly server: ExchangeServer,
  ) {
    this.requestId = requestId(request.headers['x-request-id']);
  }

  /** The status to log: that of the operation that was called as a tool, 499 if the client left, 500 if the service closed the connection before sending the headers. */
  statusOf(ended: Ended): number {
    const { headersSent, statusCode } = this.response;
    if (ended === 'left') return 499;
    if (ended === 'cut' && !headersSent) return 500;
    return this.tool?.status ?? statusCode;
  }

  /** Whether a response can still be sent. */
  get isOpen(): boolean {
    return !this.response.destroyed && !this.response.headersSent;
  }

  get parts(): HttpParts {
    return this.server.options;
  }

  get closing(): boolean {
    return this.closeAfter || this.server.responsesAreLast;
  }
}

/** Whether middleware wraps the response, as compression middleware does. Writes may then be delayed. */
export function isWrapped(response: ServerResponse): boolean {
  return Object.hasOwn(response, 'write') || Object.hasOwn(response, 'end');
}

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/;

/** Differs for every start of the service, so that a counter is enough for unique ids. */
const start = randomBytes(9).toString('hex');
let count = 0;

/** The `X-Request-Id` of the request if it has 1 to 128 characters from A–Z, a–z, 0–9, `.`, `_` and `-`; otherwise a new id. */
export function requestId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && wellFormed.test(given)) return given;
  count += 1;
  return `${start}-${count.toString(36)}`;
}

/** The `content` of a reply that sends itself. */
export abstract class ReplyContent {
  /** Sends the response. Throws a ServiceError only before anything has been sent. */
  abstract send(exchange: Exchange, call: Call): void | Promise<void>;

  /** The body for user code, if it is not in the reply itself. Throws a ServiceError. */
  value?(): Promise<Json>;

  /** The content, and the headers as in `headersFor`; undefined if the content is streamed. Throws the errors of `send`. */
  whole?(
    response: ServerResponse,
    call: Call,
  ): Promise<{ readonly lines: HeaderList; readonly content: Content }>;

  /** The fields of objects that the response leaves out of its JSON. */
  omitted?(): Omitted | undefined;

  /** The headers for user code, with the headers of an empty response. Throws the errors of `send`. */
  abstract headersFor(response: ServerResponse, call: Call): HeaderList | Promise<HeaderList>;
}
