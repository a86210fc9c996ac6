/** Replies that send themselves: only services with such responses bring the code along. */
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import type { Exchange } from './exchange.js';

/** The `content` of a reply. */
export abstract class ReplyContent {
  /** Sends the response. Throws a ServiceError if nothing of it has been sent. */
  abstract send(exchange: Exchange, call: Call): void | Promise<void>;

  /** The body, for own code, where the reply does not have it. Throws a ServiceError. */
  value?(): Promise<Json>;
}
