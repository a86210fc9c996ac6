/** Undocumented members of Node's HTTP server that the runtime uses. `test/runtime/http/node-internals.test.ts` checks each of them. */
import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Node's request class with its actual members, some of which are not declared. */
const NodeRequest = IncomingMessage as unknown as Omit<typeof IncomingMessage, 'prototype'> &
  (new (socket: Socket) => IncomingMessage & { _dump(): void });

/**
 * A request that emits its end event only if there is a listener. When nothing is left to read, emitting this event the way Node does
 * takes a tenth of the time of a request.
 */
export class ServedRequest extends NodeRequest {
  /** Called by Node at the end of the response, if the request has not been read. */
  override _dump(): void {
    const isRead = this.complete && this.readableLength === 0;
    if (!isRead || this.listenerCount('end') > 0 || this.listenerCount('close') > 0) super._dump();
  }
}

/** The response that is being sent on this connection. Other responses may be queued after it. */
export function responseOf(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

/** Announces for how many milliseconds the connection stays open after the response, as Node does if its own timer is used. */
export function announceKeepAlive(response: ServerResponse, milliseconds: number): void {
  (response as ServerResponse & { _keepAliveTimeout: number })._keepAliveTimeout = milliseconds;
}
