/** Tracks the connections of the server: connection errors never end the process, idle connections are closed, and a stop loses no request. */
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { quietTurn } from './quiet-turn.js';
import { refuseRequest } from './refused-request.js';

/** Milliseconds for which connections that wait are still accepted when the server stops. */
const mostAccepting = 2000;
/** Milliseconds between two looks at the connections of a server that stops. */
const sweepInterval = 100;
/** So many looks in a row find a connection idle before it is closed: a client at work sends its next request by then, and is told to leave. */
const idleLooks = 5;
/** After so many looks a request whose head has not arrived as a whole no longer keeps a server from its stop. */
const mostLooks = 10;

export interface ConnectionOptions {
  /** Milliseconds in which a client must read something of a response that waits for it. */
  readonly sendTimeout: number;
  /** Called with the status of what was refused before it was a request, and the reason: `CONNECT`, or a code of Node's parser. */
  readonly onRefusal: (status: number, reason: string) => void;
}

/** What a look at an idle connection found. */
interface Look {
  readonly bytes: number;
  readonly count: number;
}

/** Watches the connections of one server, from before it listens. */
export class Connections {
  private readonly sockets = new Set<Socket>();
  /** The latest response of each connection. */
  private readonly latest = new WeakMap<Socket, ServerResponse>();
  /** Connections so far. */
  private accepted = 0;
  /** Settled when the server does not listen any more; undefined while nobody wants it to stop. */
  deaf: Promise<void> | undefined;
  /** Once the server does not listen any more: settled when no connection is left. */
  private closed: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly server: Server,
    private readonly options: ConnectionOptions,
  ) {
    server.on('connection', (socket) => {
      this.accepted += 1;
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
      // Node takes its own listener away where it hands a socket over (CONNECT), and an error without one ends the process.
      socket.on('error', () => undefined);
    });
    server.on('connect', (_request, socket) => {
      this.refuse('CONNECT', socket);
    });
    server.on('clientError', (error: Error & { code?: string }, socket) => {
      this.refuse(error.code ?? error.name, socket);
    });
    // Node begins this time anew with every byte that arrives or leaves, and has one of its own between two requests.
    server.setTimeout(options.sendTimeout, (socket: Socket) => {
      if (socket.writableLength > 0 || this.isIdle(socket)) socket.destroy();
    });
  }

  /** To be called with every request. */
  begin(socket: Socket, response: ServerResponse): void {
    this.latest.set(socket, response);
  }

  /**
   * Takes no more connections, and those that are there go on as before. Requests that arrive meanwhile had better wait for `deaf`: the
   * kernel resets connections that nobody has accepted yet, and what runs now is time in which more of them come.
   */
  async stopListening(): Promise<void> {
    this.deaf = quietTurn(mostAccepting, () => this.accepted).then(() => {
      // `close` of the HTTP server would also destroy its idle connections at once.
      this.closed = new Promise((resolve) => NetServer.prototype.close.call(this.server, resolve));
    });
    await this.deaf;
  }

  /**
   * Ends when the last connection is closed. One that is idle stays for half a second: its client may have sent the next request already,
   * which would be lost.
   */
  async end(): Promise<void> {
    const closed = this.closed.then(() => true);
    const looks = new WeakMap<Socket, Look>();
    for (let count = 1; !(await Promise.race([closed, delay(sweepInterval, false)])); count += 1) {
      const isLate = count > mostLooks;
      // A request that has arrived and is not read yet would be lost with its connection.
      if ((await quietTurn(sweepInterval)) || isLate) this.sweep(looks, isLate);
    }
  }

  /** Ends all of them at once. */
  destroyAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private sweep(looks: WeakMap<Socket, Look>, isLate: boolean): void {
    for (const socket of this.sockets) {
      if (!this.isIdle(socket)) continue;
      const last = looks.get(socket);
      const count = last?.bytes === socket.bytesRead ? last.count + 1 : 1;
      looks.set(socket, { bytes: socket.bytesRead, count });
      if (count >= idleLooks || isLate) socket.destroy();
    }
  }

  /** Whether no request of this connection waits for its response. */
  private isIdle(socket: Socket): boolean {
    return this.latest.get(socket)?.writableFinished !== false;
  }

  private refuse(reason: string, socket: unknown): void {
    if (!(socket instanceof Socket)) return;
    const status = refuseRequest(reason, socket, this.latest.get(socket));
    if (status !== undefined) this.options.onRefusal(status, reason);
  }
}
