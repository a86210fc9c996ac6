/** One piece of work on one connection: it ends at its deadline, and a connection that nothing is known of is cut. */
import { beforeDeadline } from './deadline.js';
import type { StatementDriver } from './driver.js';
import { DatabaseFailure, type Failure } from './failure.js';
import type { Pipelines } from './pipelines.js';
import type { ConnectionPool } from './pool.js';

/** What there is once a datasource has been opened. */
export interface Opened<Connection extends object> {
  readonly driver: StatementDriver<Connection>;
  readonly pool: ConnectionPool<Connection>;
  /** The connections that quick reads share, where the driver knows how. */
  readonly pipelines: Pipelines<Connection> | undefined;
  /** Milliseconds that a statement may take. */
  readonly timeout: number;
}

/** A connection that was made after `since`. Throws a DatabaseFailure. */
export async function acquire<Connection extends object>(
  { driver, pool }: Opened<Connection>,
  deadline: number,
  since: number,
): Promise<Connection> {
  try {
    return await pool.acquire(deadline, since);
  } catch (error) {
    throw asFailure(error, () => driver.failureOf(error, undefined));
  }
}

/**
 * Does the work for `text` on the connection. Throws a DatabaseFailure; when the server has not answered, the
 * connection has been discarded, and must still be released.
 */
export async function execute<Connection extends object, Result>(
  { driver, pool }: Opened<Connection>,
  connection: Connection,
  text: string,
  deadline: number,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await beforeDeadline(work(), deadline, () => {
      driver.cancel?.(connection);
      pool.discard(connection);
      return new DatabaseFailure({ kind: 'timeout', reason: 'no answer within the time allowed' });
    });
  } catch (error) {
    const failure = asFailure(error, () => driver.failureOf(error, text));
    if (failure.failure.died === true || failure.failure.broken === true) pool.discard(connection);
    throw failure;
  }
}

/** The error of a driver as a failure, which `describe` tells. */
export function asFailure(error: unknown, describe: () => Failure): DatabaseFailure {
  return error instanceof DatabaseFailure ? error : new DatabaseFailure(describe(), error);
}
