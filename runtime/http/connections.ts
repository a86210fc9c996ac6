/**
 * Tracks the connections of the server: connection errors never end the process, idle connections are closed, and a shutdown loses no
 * requests.
 */
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { announceKeepAlive } from './node-internals.js';
import { refuseRequest } from './refused-request.js';
import { watchEnd } from './response-end.js';

/**
 * Milliseconds without a request before a connection is closed. Exceeds the usual idle time of load balancers (60 s), so that they
 * close idle connections first.
 */
const keepAliveTimeout = 65_000;
/** Maximum milliseconds for accepting waiting connections during a shutdown. */
const maxAccepting = 2000;
/** Milliseconds between two checks of the connections during a shutdown. */
const sweepInterval = 100;
/**
 * Number of consecutive checks that must find a connection idle before it is closed. Busy clients send their next request within this
 * time.
 */
const idleLooks = 5;
/** Number of checks after which incomplete request heads no longer delay the shutdown. */
const maxLooks = 10;

export interface ConnectionOptions {
  /** Maximum milliseconds between two reads by a client that has a response pending. */
  readonly sendTimeout: number;
  /** Called for a request that was refused before parsing, with the status and the reason: `CONNECT`, or an error code of Node's parser. */
  readonly onRefusal: (status: number, reason: string) => void;
}

/** The state of an idle connection at the last check. */
interface Look {
  readonly bytes: number;
  readonly count: number;
}

/** A period in which nothing was sent or received. */
interface Silence {
  readonly since: number;
  readonly until: number;
  /** Total bytes sent and received. */
  readonly bytes: number;
}

/** Tracks the connections of one server. Create it before the server listens. */
export class Connections {
  /** Open connections, each with the latest response. */
  private readonly sockets = new Map<Socket, ServerResponse | undefined>();
  /** Milliseconds between checks of a connection for inactivity. */
  private readonly silentPart: number;
  /** Periods of inactivity during responses. */
  private readonly silences = new WeakMap<Socket, Silence>();
  /** Total number of accepted connections. */
  private accepted = 0;
  /** Settles when the server has stopped listening; undefined before the shutdown. */
  deaf: Promise<void> | undefined;
  /** Settles when the server has stopped listening and all connections are closed. */
  private closed: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly server: Server,
    private readonly options: ConnectionOptions,
  ) {
    server.on('connection', (socket) => {
      this.accepted += 1;
      this.sockets.set(socket, undefined);
      socket.once('close', () => this.sockets.delete(socket));
      // Node removes its own listener when it hands over a socket (CONNECT), and errors without a listener end the process.
      socket.on('error', () => undefined);
      watchEnd(socket);
    });
    server.on('connect', (_request, socket) => {
      this.refuse('CONNECT', socket);
    });
    server.on('clientError', (error: Error & { code?: string }, socket) => {
      this.refuse(error.code ?? error.name, socket);
    });
    // Node restarts this timeout with every write, and skips it after a partial write, so up to twice the time limit could pass.
    // Therefore, the timeout is a fraction of the limit, and periods of inactivity are added up.
    this.silentPart = Math.min(Math.ceil(options.sendTimeout / 10), keepAliveTimeout / 10);
    // Disabled, because Node would create two timers for each request.
    server.keepAliveTimeout = 0;
    server.setTimeout(this.silentPart, (socket: Socket) => {
      this.endIfSilent(socket);
    });
  }

  /** Call at the start of each request. */
  begin(socket: Socket, response: ServerResponse): void {
    this.sockets.set(socket, response);
    announceKeepAlive(response, keepAliveTimeout);
    this.watch(socket);
  }

  /** Call after a request has been handled, because user code may have changed the timeout. */
  watch(socket: Socket): void {
    if (socket.timeout !== this.silentPart) socket.setTimeout(this.silentPart);
  }

  /**
   * Stops accepting connections; existing connections continue. New requests should wait for `deaf`: the kernel resets connections that
   * have not been accepted, and long computations now would let more of them arrive.
   */
  async stopListening(): Promise<void> {
    this.closed = new Promise((resolve) => this.server.once('close', resolve));
    // The first call of a function takes longer, and connections that arrive during it are lost.
    closeSocket(new NetServer());
    const close = (): void => {
      closeSocket(this.server);
    };
    this.deaf = inQuietTurn(maxAccepting, close, () => this.accepted).then((isClosed) => {
      if (!isClosed) close();
    });
    await this.deaf;
  }

  /**
   * Resolves when the last connection is closed. Idle connections stay open for half a second, because closing them could lose a
   * request that the client has already sent.
   */
  async end(): Promise<void> {
    const closed = this.closed.then(() => true);
    const looks = new WeakMap<Socket, Look>();
    for (let count = 1; !(await Promise.race([closed, delay(sweepInterval, false)])); count += 1) {
      const isLate = count > maxLooks;
      // Sweeping during a busy turn could lose a request that has arrived but has not been read.
      const sweep = (): void => {
        this.sweep(looks, isLate);
      };
      if (!(await inQuietTurn(sweepInterval, sweep)) && isLate) sweep();
    }
  }

  /** Closes all connections immediately. */
  destroyAll(): void {
    for (const socket of this.sockets.keys()) socket.destroy();
  }

  /**
   * Handles a timeout of the socket, which means that nothing was sent or received. During a response, the timeout is a fraction of the
   * time limit; between requests, the first timeout is extended to the full keep-alive time.
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
      // Node has skipped a timeout if the gap since the last one is longer than usual.
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

  /** Whether the connection has no request in progress. */
  private isIdle(socket: Socket): boolean {
    return this.sockets.get(socket)?.writableFinished !== false;
  }

  private refuse(reason: string, socket: unknown): void {
    if (!(socket instanceof Socket)) return;
    const status = refuseRequest(reason, socket, this.sockets.get(socket));
    if (status !== undefined) this.options.onRefusal(status, reason);
  }
}

/** Closes only the listening socket: `close` of the HTTP server would immediately destroy its idle connections. */
function closeSocket(server: NetServer): void {
  NetServer.prototype.close.call(server);
}

/** Maximum milliseconds of a nearly idle turn of the event loop. */
const quiet = 0.02;
/** A busy process has no idle turns, so the accepted length grows with the wait: milliseconds for each millisecond of waiting. */
const gracePeriod = 1 / 500;

/** Milliseconds of attempts after a sleep. A process that has just woken up is rarely interrupted by others. */
const awake = 0.5;

/**
 * Waits for a short turn of the event loop in which the event count did not change, and acts at its end, because events can arrive
 * later. Resolves with false, without acting, if `max` milliseconds pass without such a turn.
 */
function inQuietTurn(max: number, act: () => void, count: () => number = () => 0): Promise<boolean> {
  return new Promise((resolve) => {
    const start = performance.now();
    let woken = start;
    let begin = start;
    let before = count();
    const look = (): void => {
      const end = performance.now();
      if (count() === before && end - begin < quiet + (end - start) * gracePeriod) {
        act();
        resolve(true);
      } else if (end - start >= max) resolve(false);
      else if (end - woken < awake) next();
      else sleep();
    };
    const next = (): void => {
      begin = performance.now();
      before = count();
      setImmediate(look);
    };
    const sleep = (): void => {
      setTimeout(() => {
        woken = performance.now();
        next();
      }, 1);
    };
    sleep();
  });
}
