/** One request and its response, as far as every answer needs to know them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestId } from './request-id.js';

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
