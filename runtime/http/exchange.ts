/** One request and its response, as far as every answer needs to know them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestId } from './request-id.js';

/** Lives as long as the request. */
export class Exchange {
  readonly requestId: string;
  /** True when the connection must end with this answer. */
  closeAfter = false;

  /** `server.closing` may change while the request is being answered. */
  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly server: { readonly closing: boolean },
  ) {
    this.requestId = requestId(request.headers['x-request-id']);
  }

  /** What was answered, or is about to be; 499 when the client went away before. */
  get status(): number {
    const { destroyed, headersSent, statusCode } = this.response;
    return destroyed && !headersSent ? 499 : statusCode;
  }

  get closing(): boolean {
    return this.closeAfter || this.server.closing;
  }
}
