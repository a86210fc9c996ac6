/** Tracks the connections of the server: connection errors never end the process, idle connections are closed, and a stop loses no request. */
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { announceKeepAlive } from './node-internals.js';
import { refuseRequest } from './refused-request.js';
import { watchEnd } from './response-end.js';

/** Milliseconds without a request after which a connection is closed. Longer than the idle time of common load balancers (60 s), so that they close connections, and not the service. */
const keepAliveTimeout = 65_000;
/** Maximum milliseconds in which waiting connections are still accepted when the server stops. */
const maxAccepting = 2000;
/** Milliseconds between two checks of the connections of a server that stops. */
const sweepInterval = 100;
/** Number of checks in a row that find a connection idle before it is closed. A busy client sends its next request within this time. */
const idleLooks = 5;
/** Number of checks after which an incomplete request head no longer delays the stop. */
const maxLooks = 10;

export interface ConnectionOptions {
  /** Milliseconds in which a client must read a part of a waiting response. */
  readonly sendTimeout: number;
  /** Called for a request that was refused before it was parsed, with its status and the reason: `CONNECT`, or a code of Node's parser. */
  readonly onRefusal: (status: number, reason: string) => void;
}

/** The state of an idle connection at its last check. */
interface Look {
  readonly bytes: number;
  readonly count: number;
}

/** A period in which nothing was sent or received. */
interface Silence {
  readonly since: number;
  readonly until: number;
  /** Bytes that had been sent and received. */
  readonly bytes: number;
}

/** Tracks the connections of one server. Create it before the server listens. */
export class Connections {
  /** Each with its latest response. */
  private readonly sockets = new Map<Socket, ServerResponse | undefined>();
  /** Milliseconds. */
  private readonly silentPart: number;
  /** Connections on which nothing is being sent or received. */
  private readonly silences = new WeakMap<Socket, Silence>();
  /** Number of connections so far. */
  private accepted = 0;
  /** Settles when the server has stopped listening; undefined before a stop. */
  deaf: Promise<void> | undefined;
  /** Settles when the server has stopped listening and no connection is left. */
  private closed: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly server: Server,
    private readonly options: ConnectionOptions,
  ) {
    server.on('connection', (socket) => {
      this.accepted += 1;
      this.sockets.set(socket, undefined);
      socket.once('close', () => this.sockets.delete(socket));
      // Node removes its own listener when it hands over a socket (CONNECT). An error without a listener would end the process.
      socket.on('error', () => undefined);
      watchEnd(socket);
    });
    server.on('connect', (_request, socket) => {
      this.refuse('CONNECT', socket);
    });
    server.on('clientError', (error: Error & { code?: string }, socket) => {
      this.refuse(error.code ?? error.name, socket);
    });
    // Node restarts this timeout with every write, and skips it after a partial write, so up to twice the time could pass. Therefore the
    // timeout is a fraction of the time limit, and silent periods are added up.
    this.silentPart = Math.min(Math.ceil(options.sendTimeout / 10), keepAliveTimeout / 10);
    // Node would make two timers for each request.
    server.keepAliveTimeout = 0;
    server.setTimeout(this.silentPart, (socket: Socket) => {
      this.endIfSilent(socket);
    });
  }

  /** Call it with every request. */
  begin(socket: Socket, response: ServerResponse): void {
    this.sockets.set(socket, response);
    announceKeepAlive(response, keepAliveTimeout);
    this.watch(socket);
  }

  /** Call it after the response of a request has been made: user code may have changed the timeout. */
  watch(socket: Socket): void {
    if (socket.timeout !== this.silentPart) socket.setTimeout(this.silentPart);
  }

  /**
   * Stops accepting connections; existing ones continue. Requests that arrive meanwhile should wait for `deaf`: the kernel resets
   * connections that have not been accepted, and computing now would let more of them arrive.
   */
  async stopListening(): Promise<void> {
    this.deaf = quietTurn(maxAccepting, () => this.accepted).then(() => {
      // `close` of the HTTP server would also destroy its idle connections immediately.
      this.closed = new Promise((resolve) => NetServer.prototype.close.call(this.server, resolve));
    });
    await this.deaf;
  }

  /**
   * Resolves when the last connection is closed. An idle connection stays open for half a second: its client may have sent the next request
   * already, which would be lost.
   */
  async end(): Promise<void> {
    const closed = this.closed.then(() => true);
    const looks = new WeakMap<Socket, Look>();
    for (let count = 1; !(await Promise.race([closed, delay(sweepInterval, false)])); count += 1) {
      const isLate = count > maxLooks;
      // A request that has arrived but is not read yet would be lost.
      if ((await quietTurn(sweepInterval)) || isLate) this.sweep(looks, isLate);
    }
  }

  /** Closes all connections immediately. */
  destroyAll(): void {
    for (const socket of this.sockets.keys()) socket.destroy();
  }

  /**
   * Nothing was sent or received for the timeout of the socket. During a response that is a fraction of the time limit; between two
   * requests it is all of the remaining time.
   */
  private endIfSilent(socket: Socket): void {
    const isIdle = this.isIdle(socket);
    const { timeout = 0 } = socket;
    if (!isIdle && socket.writableLength === 0) this.silences.delete(socket);
    else if (isIdle && timeout > this.silentPart) socket.destroy();
    else if (isIdle && this.sockets.get(socket) !== undefined) {
      socket.setTimeout(keepAliveTimeout - timeout);
      return;
    } else {
      const until = performance.now();
      const bytes = socket.bytesRead + socket.bytesWritten - socket.writableLength;
      const last = this.silences.get(socket);
      // The timer after a skipped period is later.
      const goesOn = last?.bytes === bytes && until - last.until < 1.5 * timeout;
      const since = goesOn ? last.since : until - timeout;
      this.silences.set(socket, { since, until, bytes });
      if (until - since >= this.options.sendTimeout) {
        socket.destroy();
        return;
      }
    }
    socket.setTimeout(timeout);
  }

  private sweep(looks: WeakMap<Socket, Look>, isLate: boolean): void {
    for (const socket of this.sockets.keys()) {
      if (!this.isIdle(socket)) continue;
      const last = looks.get(socket);
      const count = last?.bytes === socket.bytesRead ? last.count + 1 : 1;
      looks.set(socket, { bytes: socket.bytesRead, count });
      if (count >= idleLooks || isLate) socket.destroy();
    }
  }

  /** Whether no request of this connection waits for its response. */
  private isIdle(socket: Socket): boolean {
    return this.sockets.get(socket)?.writableFinished !== false;
  }

  private refuse(reason: string, socket: unknown): void {
    if (!(socket instanceof Socket)) return;
    const status = refuseRequest(reason, socket, this.sockets.get(socket));
    if (status !== undefined) this.options.onRefusal(status, reason);
  }
}

/** Maximum milliseconds of a turn in which hardly anything happens. */
const quiet = 0.1;
/** A busy process has no such turn, so the longer the wait, the longer the accepted turn. Milliseconds for each millisecond of waiting. */
const gracePeriod = 1 / 500;

/**
 * Waits for a turn of the event loop that ends immediately and in which this count of events did not change; false if there was none within
 * `max` milliseconds. A caller that acts on missing events must act directly after the poll, because events can arrive in between.
 */
async function quietTurn(max: number, count: () => number = () => 0): Promise<boolean> {
  const start = performance.now();
  for (let begin = start; begin - start < max;) {
    const before = count();
    await nextTurn();
    const end = performance.now();
    if (count() === before && end - begin < quiet + (end - start) * gracePeriod) return true;
    begin = end;
  }
  return false;
}
