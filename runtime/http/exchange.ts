/** One request with its response, the id by which responses and logs name it (`X-Request-Id`), and replies that send themselves. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { randomBytes } from 'node:crypto';
import type { Json } from '../handler/json.js';
import type { ErrorInfo, HeaderList } from '../handler/reply.js';
import type { Call } from '../handler/call.js';
import type { Ended } from './response-end.js';

/** JSON as a string, or as bytes in pieces if it is long. */
export type Content = string | readonly Buffer[];

/** Sends JSON. In `headers`, names and values alternate. */
export type SendText = (
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: HeaderList,
  content: Content,
) => void;

/** Compresses what is written to it. */
export interface Packer extends Transform {
  /** Passes on everything written so far, then calls back. */
  flush(done: () => void): void;
}

/** Creates the compressor of a response of unknown length; undefined if the client accepts no compression. */
export type PackParts = (
  request: IncomingMessage,
) => { readonly encoding: string; readonly packer: Packer } | undefined;

/** Parts of a server that only some services have. */
export interface HttpParts {
  /** Makes the bodies of errors; all are `{"message"}` without it. */
  readonly errors?: ErrorBodies | undefined;
  /** Allows pages of other origins. */
  readonly cors?: CorsHeaders | undefined;
  /** Sends bodies compressed. */
  readonly sendCompressed?: SendText | undefined;
  readonly packParts?: PackParts | undefined;
}

/** Sets the headers of CORS. */
export interface CorsHeaders {
  /** True if it has responded to a preflight request. Throws a ServiceError 400 for a malformed path. */
  respond(exchange: Exchange): boolean;
}

/** The body of an error, and its content type. */
export interface ErrorContent {
  readonly type: string;
  readonly body: Json;
}

/** Makes the bodies of errors; undefined for errors with the default body. */
export type ErrorBodies = (error: ErrorInfo) => ErrorContent | undefined;

export interface ExchangeServer {
  readonly options: HttpParts;
  /** May change while the request is served. */
  readonly responsesAreLast: boolean;
}

/** Lives as long as the request. */
export class Exchange {
  readonly requestId: string;
  /** Whether the connection must close after this response. */
  closeAfter = false;
  /** The call of the operation, whose memory is released when its response is counted. */
  call: (Call & { release(): void }) | undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly server: ExchangeServer,
  ) {
    this.requestId = requestId(request.headers['x-request-id']);
  }

  /** The status of a response that ended so: 499 if the client left it, 500 if the service closed the connection before its head. */
  statusOf(ended: Ended): number {
    const { headersSent, statusCode } = this.response;
    if (ended === 'left') return 499;
    return ended === 'cut' && !headersSent ? 500 : statusCode;
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

/** Whether middleware wraps the response, as compression does. It may then hold back writes. */
export function isWrapped(response: ServerResponse): boolean {
  return Object.hasOwn(response, 'write') || Object.hasOwn(response, 'end');
}

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/;

/** Different for every start of the service, so a counter is enough to make the ids unique. */
const start = randomBytes(9).toString('hex');
let count = 0;

/** The `X-Request-Id` of the request if it has 1 to 128 of the characters A–Z, a–z, 0–9, `.`, `_` and `-`; else a new one. */
export function requestId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && wellFormed.test(given)) return given;
  count += 1;
  return `${start}-${count.toString(36)}`;
}

/** The `content` of a reply. */
export abstract class ReplyContent {
  /** Sends the response. Throws a ServiceError only if nothing has been sent. */
  abstract send(exchange: Exchange, call: Call): void | Promise<void>;

  /** The body for user code, if the reply itself does not contain it. Throws a ServiceError. */
  value?(): Promise<Json>;
}
