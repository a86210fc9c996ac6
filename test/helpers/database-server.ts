/** Interface of a private database server, of either kind. */
import { connect } from 'node:net';

/** The address and credentials of a server: plain data that can be passed between processes. */
export interface ServerCoordinates {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** A running server, in which tests create their databases. */
export interface AttachedServer extends ServerCoordinates {
  /** A JDBC URL without user and password. */
  jdbcUrl(database: string): string;
  /** Creates an empty database, replacing one of the same name. */
  createDatabase(name: string): Promise<void>;
  /** Runs statements separated by semicolons, and returns the rows of the last one. */
  exec(database: string, sql: string): Promise<Record<string, unknown>[]>;
  /** Opens a connection for many statements, because opening one costs more than running a statement. */
  connect(database: string): Promise<KeptConnection>;
}

/** A connection to one database. */
export interface KeptConnection {
  run(sql: string): Promise<unknown>;
  end(): Promise<void>;
}

/** A private server, for tests that stop it. */
export interface DatabaseServer extends AttachedServer {
  /** `fast` closes connections with a message, `immediate` without; resolves when the server is ready again. */
  restart(mode: 'fast' | 'immediate'): Promise<void>;
  /** Kills the server without notifying clients; `restart` starts it again. */
  kill(): Promise<void>;
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
}

/** Repeats the attempt until it succeeds; throws the last error after 60 s or if the server ends. */
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

/** Waits until a local server accepts connections at the port, as `untilReady` does. */
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
