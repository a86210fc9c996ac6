/** One piece of work on one connection: it ends at its deadline, and a connection that nothing is known of is cut. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import { settledBefore } from './deadline.js';
import type { Query, StatementDriver, ReadPipelines } from './driver.js';
import { DatabaseFailure, type Failure } from './failure.js';
import type { Meter } from './meter.js';
import { cancelTimeLimit, type ConnectionPool } from './pool.js';

/** Milliseconds for the response to ROLLBACK. A connection that is closed is rolled back, too. */
export const rollbackTimeout = 1000;

/** Milliseconds between two looks at whether there is still sense in going on. */
const lookInterval = 250;

/** What there is once a datasource has been opened. */
export interface OpenDatasource<Connection extends object> {
  readonly driver: StatementDriver<Connection>;
  readonly pool: ConnectionPool<Connection>;
  /** The connections that quick reads share, where the driver knows how. */
  readonly pipelines: ReadPipelines | undefined;
  /** The maximum milliseconds of a statement. */
  readonly timeout: number;
}

/** The transaction of a call, as datasources use it; only services with transactions bring one along. */
export abstract class DatabaseTransaction {
  /**
   * Runs the statement in the part of the datasource, which begins with its first one, after those before it there. Where it is
   * `tentative` its failure undoes nothing else. Throws a DatabaseFailure, or what `proceed` throws.
   */
  abstract run<Connection extends object>(
    datasource: { readonly name: string; readonly opened: OpenDatasource<Connection> },
    query: Query,
    call: Call,
    tentative: boolean,
  ): Promise<Row[]>;
}

/** One piece of work. */
export interface Work<Result> {
  /** The statement, for errors of the configuration in it. */
  readonly text: string;
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
  run(): Promise<Result>;
  /** It may change data for good. */
  readonly changes?: boolean;
  /** It is never cancelled: its connection is cut when its time is over. */
  readonly isFinal?: boolean;
  /** Throws if the caller no longer needs the result: then the work is cancelled. Undefined for work that must finish. */
  proceed?(): void;
}

/** A connection that was made after `since`. Throws a DatabaseFailure. */
export async function acquire<Connection extends object>(
  { driver, pool, pipelines }: OpenDatasource<Connection>,
  deadline: number,
  since: number,
): Promise<Connection> {
  try {
    return await pool.acquire(deadline, since);
  } catch (error) {
    const failure = asFailure(error, () => driver.failureOf(error, undefined));
    // Where the shared connections are all that the server grants, one of them makes room.
    if (failure.failure.full !== true || pipelines === undefined || !(await pipelines.freeConnection()))
      throw failure;
  }
  try {
    return await pool.acquire(deadline, since);
  } catch (error) {
    throw asFailure(error, () => driver.failureOf(error, undefined));
  }
}

/** Runs the statement. Throws the errors of the driver. */
export function runQuery<Connection extends object>(
  driver: StatementDriver<Connection>,
  connection: Connection,
  query: Query,
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    driver.start(connection, query, (error, rows) => {
      if (rows === undefined) reject(error instanceof Error ? error : new Error(String(error)));
      else resolve(rows);
    });
  });
}

/**
 * Does the work on the connection. Throws a DatabaseFailure, or the error of `proceed`. If the server has not responded, the connection has
 * been discarded, and must still be released.
 */
export async function execute<Connection extends object, Result>(
  opened: OpenDatasource<Connection>,
  connection: Connection,
  work: Work<Result>,
): Promise<Result> {
  const { driver, pool } = opened;
  const meter = pool.meterOf(connection);
  const running = work.run();
  const stop = await stopOf(running, work, meter);
  if (stop?.isExcess === true) {
    await settledBefore(Promise.resolve(driver.cancel?.(connection)), performance.now() + cancelTimeLimit);
    pool.discard(connection);
    throw stop.reason;
  }
  if (stop !== undefined) {
    // A cancel request that arrives too late could end the next statement of this connection.
    const isSettled = work.isFinal !== true && (await cancel(opened, connection, running));
    pool.discard(connection);
    if (stop.reason !== undefined) throw stop.reason;
    if (!isSettled) throw new DatabaseFailure(noResult);
  }
  try {
    const result = await running;
    pool.respondedAt = performance.now();
    // If a server stops waiting for its replicas, it reports success, although they may not have the change.
    if (work.changes === true && (stop !== undefined || pool.isCancelled(connection)))
      throw new DatabaseFailure(noResult);
    return result;
  } catch (error) {
    const failure = asFailure(error, () => ({
      ...driver.failureOf(error, work.text),
      // The end of a connection on which nothing ran is reported by itself.
      ...pool.failureOf(connection),
    }));
    const { died, broken, withoutResult } = failure.failure;
    if (died === true || broken === true) pool.discard(connection);
    else if (withoutResult !== true) pool.respondedAt = performance.now();
    throw failure;
  }
}

const noResult: Failure = {
  kind: 'timeout',
  withoutResult: true,
  reason: 'no response within the time allowed',
};

/** Why the work is no longer awaited: its result is too large, the caller no longer needs it, or its time is over. */
type Stop =
  | { readonly isExcess: true; readonly reason: DatabaseFailure }
  | { readonly isExcess?: false; readonly reason?: Error };

/** Resolves when the work has ended in whatever way, with undefined, or is to be cancelled. */
function stopOf(
  running: Promise<unknown>,
  { deadline, proceed }: Pick<Work<unknown>, 'deadline' | 'proceed'>,
  meter: Meter | undefined,
): Promise<Stop | undefined> {
  return new Promise((resolve) => {
    meter?.watch((reason) => {
      clearTimeout(timer);
      resolve({ isExcess: true, reason });
    });
    const look = () => {
      if (performance.now() >= deadline) {
        resolve({});
        return;
      }
      try {
        proceed?.();
      } catch (error) {
        resolve({ reason: error instanceof Error ? error : new Error(String(error)) });
        return;
      }
      wait();
    };
    const wait = () => {
      const left = Math.max(0, deadline - performance.now());
      timer = setTimeout(look, proceed === undefined ? left : Math.min(left, lookInterval));
    };
    let timer: NodeJS.Timeout;
    wait();
    const end = () => {
      clearTimeout(timer);
      // It would keep the rows until the next statement of its connection.
      meter?.rest();
      resolve(undefined);
    };
    running.then(end, end);
  });
}

/** Asks the server to end the work; true when it has reported what became of it. */
async function cancel<Connection extends object>(
  { driver }: OpenDatasource<Connection>,
  connection: Connection,
  running: Promise<unknown>,
): Promise<boolean> {
  let isSettled = false;
  const settled = () => {
    isSettled = true;
  };
  const settling = running.then(settled, settled);
  await settledBefore(
    Promise.all([driver.cancel?.(connection), settling]),
    performance.now() + cancelTimeLimit,
  );
  return isSettled;
}

/** The error of a driver as a failure; `describe` converts it. */
export function asFailure(error: unknown, describe: () => Failure): DatabaseFailure {
  return error instanceof DatabaseFailure ? error : new DatabaseFailure(describe(), error);
}
