/** What statements know of the connections that quick reads share. */
import type { Row } from '../handler/json.js';
import type { ConnectionCounts } from '../server/observer.js';
import type { Query } from './query.js';
import type { Pace } from './pace.js';

export interface SharedReads {
  /** Sends the statement on one of them; undefined when none takes it now. Rejects with a DatabaseFailure. */
  send(query: Query, deadline: number, pace: Pace): Promise<Row[]> | undefined;
  /** One of them for statements that have to run in their order; undefined when none takes any now. */
  lane(): Lane | undefined;
}

/** All of them of a datasource. */
export interface ReadPipelines extends SharedReads {
  /** Does work that runs on a connection of its own, so that its pace is known. */
  timed<Result>(pace: Pace, work: () => Promise<Result>): Promise<Result>;
  /** Ends one connection, for a server that grants no more; false when there is none. */
  makeRoom(): Promise<boolean>;
  readonly counts: ConnectionCounts;
  /** When the server answered on one of them for the last time, in milliseconds of `performance.now()`. */
  readonly answeredAt: number;
  /** Takes no more statements, waits for those under way until the deadline, and closes all. */
  close(deadline: number): Promise<void>;
}

/** A shared connection for as long as something is under way on it. */
export interface Lane {
  readonly reads: SharedReads;
  /** Sends the statement behind those before it; undefined when the connection takes none now. Rejects with a DatabaseFailure. */
  send(query: Query, deadline: number, pace: Pace): Promise<Row[]> | undefined;
}
