/** Connections that take statements without waiting for answers. */
import type { Row } from '../handler/json.js';
import type { Query } from '../sql/query.js';

/** Called once: with the rows, or with an error of the driver and no rows. */
export type Done = (error: unknown, rows?: Row[]) => void;

/** Connections of one session each that many reads share. */
export interface SharedConnections<Connection extends object> {
  /** How many of the datasource's connections are such; none from when on it turns out that the server keeps no sessions. */
  readonly count: number;
  /** Throws the errors of the driver. `lost` is called when the connection has ended, however that came. */
  connect(lost: () => void): Promise<Connection>;
  /** Sends the statement; answers come in the order in which statements were sent, but for those with types to look up. */
  start(connection: Connection, query: Query, done: Done): void;
  /** Whether the error says that the statement changes data: on these connections nothing does. */
  isWrite(error: unknown): boolean;
  /** Sends something that takes no time in the server, and waits for the answer. */
  ping(connection: Connection): Promise<void>;
  /** Takes leave of the server, when what is under way has been answered. */
  end(connection: Connection): Promise<void>;
}
