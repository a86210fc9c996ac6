/** The interface of a private database server, whichever kind it is. */
import { connect } from 'node:net';

/** The address and credentials of a server: plain data that passes between processes. */
export interface ServerCoordinates {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** A server that somebody started: for the tests that make databases of their own in it. */
export interface AttachedServer extends ServerCoordinates {
  /** `jdbc:…` with neither user nor password in it. */
  jdbcUrl(database: string): string;
  /** Makes an empty database; an older one of that name goes. */
  createDatabase(name: string): Promise<void>;
  /** Runs statements, separated by semicolons, and returns the rows of the last one. */
  exec(database: string, sql: string): Promise<Record<string, unknown>[]>;
  /** A connection that stays, for many statements: to open one costs more than to run a statement. */
  connect(database: string): Promise<KeptConnection>;
}

/** A connection to one database. */
export interface KeptConnection {
  run(sql: string): Promise<unknown>;
  end(): Promise<void>;
}

/** A server of one's own, for the tests that stop it. */
export interface DatabaseServer extends AttachedServer {
  /** `fast` ends connections with a message, `immediate` without one; the server is ready again afterwards. */
  restart(mode: 'fast' | 'immediate'): Promise<void>;
  /** Ends the server without a message to anybody; `restart` brings it back. */
  kill(): Promise<void>;
  /** Ends the server and removes its folder. */
  stop(): Promise<void>;
}

/** Repeats the attempt until it succeeds; throws its last error when the server ends or 60 s have gone. */
export async function untilReady(attempt: () => Promise<unknown>, running: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (!running() || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Waits until something of this machine takes connections at the port, as `untilReady` does. */
export async function untilListening(port: number, running: () => boolean): Promise<void> {
  const attempt = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve();
      }).on('error', reject);
    });
  await untilReady(attempt, running);
}
