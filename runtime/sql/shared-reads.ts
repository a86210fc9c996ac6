/** What statements know of the connections that quick reads share. */
import type { Row } from '../json.js';
import type { Query } from './driver.js';
import type { Pace } from './pace.js';

export interface SharedReads {
  /** Sends the statement on one of them; undefined when none takes it now. Rejects with a DatabaseFailure. */
  send(query: Query, deadline: number, pace: Pace): Promise<Row[]> | undefined;
  /** One of them for statements that have to run in their order; undefined when none takes any now. */
  lane(): Lane | undefined;
}

/** A shared connection for as long as something is under way on it. */
export interface Lane {
  readonly reads: SharedReads;
  /** Sends the statement behind those before it; undefined when the connection takes none now. Rejects with a DatabaseFailure. */
  send(query: Query, deadline: number, pace: Pace): Promise<Row[]> | undefined;
}
