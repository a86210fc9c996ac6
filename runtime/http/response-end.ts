/** How responses end: whole, cut off by the service, or left by their client. A cut connection is reset, since an orderly close is the end of a body without a length. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { responseOf } from './node-internals.js';

/**
 * `whole`: all of the response was passed to the system. `cut`: the service closed the connection before. `left`: the client closed it
 * before.
 */
export type Ended = 'whole' | 'cut' | 'left';

/** Connections that were closed, and the responses that they did not send completely. */
const broken = new WeakMap<Socket | ServerResponse, 'cut' | 'left'>();
/** Connections whose client has ended its side. */
const left = new WeakSet<Socket>();

/** Call it with each new connection. Whoever destroys it during a response resets it: the service, Node, or user code. */
export function watchEnd(socket: Socket): void {
  // This must run before Node's own listener, which closes the connection in order.
  socket.prependListener('end', () => {
    left.add(socket);
    if (responseOf(socket)?.writableEnded === false && isInMiddle(socket)) socket.destroy();
  });
  socket.destroy = (error) => {
    Reflect.deleteProperty(socket, 'destroy');
    const response = responseOf(socket);
    // An error of the connection itself. Other errors come from code that destroys the response.
    if (response?.destroyed !== true && isOfSystem(error)) left.add(socket);
    const end = left.has(socket) ? 'left' : 'cut';
    broken.set(socket, end);
    if (response?.writableFinished === false) broken.set(response, end);
    return isInMiddle(socket) ? socket.resetAndDestroy() : socket.destroy(error);
  };
}

/** Whether a part of a response has been sent, and more of it is to come. */
function isInMiddle(socket: Socket): boolean {
  const response = responseOf(socket);
  // Node cannot reset a connection that is being closed in order.
  const isClosing = socket.writableEnded && socket.writableLength === 0;
  return response?.headersSent === true && !response.writableFinished && !isClosing;
}

function isOfSystem(error: Error | undefined): boolean {
  const call: unknown = error && Reflect.get(error, 'syscall');
  return call === 'read' || call === 'write';
}

/** Undefined while the response is being sent. */
export function responseEnd(response: ServerResponse, socket: Socket): Ended | undefined {
  const end = broken.get(response);
  if (end !== undefined) return end;
  if (response.writableFinished) return 'whole';
  return socket.destroyed ? (broken.get(socket) ?? 'cut') : undefined;
}

/** Calls back when the response is over. */
export function onceOver(response: ServerResponse, socket: Socket, done: (ended: Ended) => void): void {
  const ended = responseEnd(response, socket);
  if (ended !== undefined) {
    done(ended);
    return;
  }
  const over = (): void => {
    response.off('finish', over);
    socket.off('close', over);
    done(responseEnd(response, socket) ?? 'whole');
  };
  response.once('finish', over);
  // A response that waits for an earlier one of its connection does not emit `close`.
  socket.once('close', over);
}
