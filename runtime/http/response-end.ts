/**
 * How responses end: complete, cut off by the service, or left by their clients. An incomplete response resets the connection, because
 * an orderly close would mark the end of a body without a length.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { responseOf } from './node-internals.js';

/**
 * `whole`: the operating system received the complete response. `cut`: the service closed the connection before that. `left`: the
 * client closed the connection before that.
 */
export type Ended = 'whole' | 'cut' | 'left';

/** Closed connections, and responses that were not sent completely. */
const broken = new WeakMap<Socket | ServerResponse, 'cut' | 'left'>();
/** Connections whose client has ended its side or caused an error. */
const left = new WeakSet<Socket>();

/**
 * Call with each new connection. If the socket is destroyed during a response (by the service, Node, or user code), the connection is
 * reset.
 */
export function watchEnd(socket: Socket): void {
  // This must run before Node's own listener, which closes the connection cleanly.
  socket.prependListener('end', () => {
    left.add(socket);
    if (responseOf(socket)?.writableEnded === false && isInMiddle(socket)) socket.destroy();
  });
  socket.destroy = (error) => {
    Reflect.deleteProperty(socket, 'destroy');
    const response = responseOf(socket);
    // This is an error of the connection itself. Other errors are caused by code that destroys the response.
    if (response?.destroyed !== true && isOfSystem(error)) left.add(socket);
    const end = left.has(socket) ? 'left' : 'cut';
    broken.set(socket, end);
    if (response?.writableFinished === false) broken.set(response, end);
    return isInMiddle(socket) ? socket.resetAndDestroy() : socket.destroy(error);
  };
}

/** Whether a response has been sent in part only. */
function isInMiddle(socket: Socket): boolean {
  const response = responseOf(socket);
  // Node cannot reset a connection that is already being closed cleanly.
  const isClosing = socket.writableEnded && socket.writableLength === 0;
  return response?.headersSent === true && !response.writableFinished && !isClosing;
}

function isOfSystem(error: Error | undefined): boolean {
  const call: unknown = error && Reflect.get(error, 'syscall');
  return call === 'read' || call === 'write';
}

/** Returns how a response ended; undefined while it is being sent. */
export function responseEnd(response: ServerResponse, socket: Socket): Ended | undefined {
  const end = broken.get(response);
  if (end !== undefined) return end;
  if (response.writableFinished) return 'whole';
  return socket.destroyed ? (broken.get(socket) ?? 'cut') : undefined;
}

/** Calls back when the response has ended. */
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
  // A response queued after an earlier response on its connection does not emit `close`.
  socket.once('close', over);
}
