/** One request with its response, and the id by which responses and logs name it (`X-Request-Id`). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomBytes } from 'node:crypto';

/** A JSON text, as a string or, where it is long, as the bytes of its pieces. */
export type Content = string | readonly Buffer[];

/** Sends a JSON text, with names and values of headers in turn. */
export type SendText = (
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: readonly string[],
  content: Content,
) => void;

/** What an exchange has to know of its server. */
export interface ExchangeServer {
  /** May change while the request is being answered. */
  readonly answersAreLast: boolean;
  /** Sends bodies compressed; undefined where they go as they are. */
  readonly sendCompressed: SendText | undefined;
}

/** Lives as long as the request. */
export class Exchange {
  readonly requestId: string;
  /** True when the connection must end with this answer. */
  closeAfter = false;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly server: ExchangeServer,
  ) {
    this.requestId = requestId(request.headers['x-request-id']);
  }

  /** What was answered, or is about to be; 499 when the client went away before. */
  get status(): number {
    const { destroyed, headersSent, statusCode } = this.response;
    return destroyed && !headersSent ? 499 : statusCode;
  }

  /** Whether an answer can still be sent. */
  get isOpen(): boolean {
    return !this.response.destroyed && !this.response.headersSent;
  }

  get sendCompressed(): SendText | undefined {
    return this.server.sendCompressed;
  }

  get closing(): boolean {
    return this.closeAfter || this.server.answersAreLast;
  }
}

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/;

/** Different for every start of the service, so that a counter behind it is enough. */
const start = randomBytes(9).toString('hex');
let count = 0;

/** The identifier that the request brought when it is 1 to 128 of the characters A–Z, a–z, 0–9, `.`, `_` and `-`; else a new one. */
export function requestId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && wellFormed.test(given)) return given;
  count += 1;
  return `${start}-${count.toString(36)}`;
}
