/** Streams the rows of a read as they arrive, on a separate connection and at the pace of the reader. */
import { afterChanges, type Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import { isTurnOver } from '../handler/turn.js';
import { ServiceError } from '../handler/reply.js';
import { Attempts, causeOf } from '../sql/retries.js';
import type { Connection } from '../sql/connection.js';
import type { Connections } from '../sql/connections.js';
import type { EndOfRows } from '../sql/statement-definition.js';
import type { StatementRunner, Statement } from '../sql/statement.js';
import type { Query } from '../sql/driver.js';
import { DatabaseFailure } from '../sql/failure.js';
import type { PassedValue } from '../sql/sql-template.js';
import { JsonLines, RowList, type ArrivedRows } from './arrived-rows.js';
import type { Arriving, RowStream } from './row-stream.js';
import { StreamedRows } from './streamed-content.js';

/** Maximum number of unread rows. Above this limit, reading from the connection is paused. */
const enough = 100;
/**
 * Maximum bytes received from the server while rows are unread, because rows may be large. Above this limit, reading from the
 * connection is paused.
 */
const enoughBytes = 1024 * 1024;

/** Streams the rows of a statement. The read starts when the response is sent, after all other steps that may fail. */
export function streamRows<Entry extends Row>(
  statement: Statement<Entry>,
  call: Call,
  values?: readonly PassedValue[],
): RowStream<Entry>;
export function streamRows(statement: Statement, call: Call, values: readonly PassedValue[] = []): RowStream {
  const { runner, traceRows } = statement;
  // User code reads all rows, within the usual limits of results.
  if (call.isReadHere === true)
    return new StreamedRows({ begin: async () => allAtOnce(await statement(call, values)) });
  const ended = traceRows?.(values);
  return new StreamedRows({
    begin: () => begin(runner, call, values, ended, new RowList()),
    beginLines: () => begin(runner, call, values, ended, new JsonLines()),
  });
}

function allAtOnce(rows: readonly Row[]): Arriving<Row> {
  return {
    async *batches() {
      if (rows.length > 0) yield await Promise.resolve(rows);
      return undefined;
    },
    abandon: () => undefined,
  };
}

async function begin<Part>(
  runner: StatementRunner,
  call: Call,
  values: readonly PassedValue[],
  ended: EndOfRows | undefined,
  store: ArrivedRows<Part>,
): Promise<Arriving<Part>> {
  const start = performance.now();
  try {
    return await firstRow(runner, call, values, ended, store);
  } catch (error) {
    const toError = afterChanges(call, runner.toError(error, values));
    ended?.(0, toError);
    throw toError;
  } finally {
    runner.ran(start);
  }
}

/** Runs the statement until the first row arrives. Throws a DatabaseFailure or a ServiceError. */
async function firstRow<Part>(
  runner: StatementRunner,
  call: Call,
  values: readonly PassedValue[],
  ended: EndOfRows | undefined,
  store: ArrivedRows<Part>,
): Promise<Arriving<Part>> {
  let opened = runner.on(call);
  const query = runner.queryOf(call, values);
  let giveBack = takeStream(opened.connections);
  const attempts = new Attempts(call);
  for (;;) {
    const { connections, timeout } = opened;
    try {
      call.proceed();
      const connection = await connections.lease(
        Math.min(call.deadline, performance.now() + timeout),
        attempts.since,
      );
      const rows = new Rows(connection, timeout, (error) => runner.toError(error, values), ended, store);
      const over = rows.read(query, call).finally(() => {
        connections.release(connection);
      });
      await rows.begun();
      void over.finally(giveBack);
      return rows;
    } catch (error) {
      if (error instanceof DatabaseFailure && runner.leaves(opened, call, error.failure)) {
        giveBack();
        opened = runner.on(call);
        giveBack = takeStream(opened.connections);
        continue;
      }
      const cause = error instanceof DatabaseFailure ? causeOf(error.failure, alone) : undefined;
      let isAgain = false;
      try {
        isAgain = await attempts.again(cause);
      } finally {
        if (!isAgain) giveBack();
      }
      if (!isAgain) throw error;
    }
  }
}

const alone = { isShared: false, isRetryable: true, isAtomic: true };

/** Number of active streams of each datasource. */
const underWay = new WeakMap<Connections, number>();

/** Counts an additional stream until the returned function is called. Throws a ServiceError 503. */
function takeStream(connections: Connections): () => void {
  const count = underWay.get(connections) ?? 0;
  if (count >= connections.maxStreams) {
    const log = {
      reason: 'half of the connections are used by responses that are written while rows arrive',
    };
    throw new ServiceError(503, 'The service is busy', { retryAfter: 2, log });
  }
  underWay.set(connections, count + 1);
  return () => {
    underWay.set(connections, (underWay.get(connections) ?? 1) - 1);
  };
}

class Rows<Part> implements Arriving<Part> {
  private count = 0;
  private error: unknown;
  private state: 'waiting' | 'arriving' | 'done' | 'failed' = 'waiting';
  private isAbandoned = false;
  private isPaused = false;
  /** Start of the wait for the next row, in milliseconds of `performance.now()`. */
  private since = performance.now();
  /** Bytes received from the server since rows were last taken. */
  private bytes = 0;
  private wake: () => void = () => undefined;

  /** `timeout`: the maximum milliseconds without a row. */
  constructor(
    private readonly connection: Connection,
    private readonly timeout: number,
    private readonly toError: (error: unknown) => unknown,
    private readonly ended: EndOfRows | undefined,
    private readonly store: ArrivedRows<Part>,
  ) {}

  /** Resolves when the connection is free. Never fails. */
  async read(query: Query, call: Call): Promise<void> {
    const onRow = (row: Row): void => {
      this.push(row);
    };
    const sink = this.store.sinkOf?.(() => {
      this.arrived();
    });
    const proceed = (): void => {
      // After the first row, the response reports that the client has disconnected.
      if (this.state === 'waiting') call.proceed();
      if (!this.isPaused && performance.now() - this.since > this.timeout) throw new DatabaseFailure(tooLong);
    };
    const stop = this.connection.onBytes((bytes) => {
      this.bytes += bytes;
      if (this.bytes >= enoughBytes && this.store.waiting > 0) this.pause();
    });
    try {
      const others = await this.connection.query({ ...query, onRow, sink }, { deadline: Infinity, proceed });
      // Rows are returned here if the driver found at the end that the columns differ from the described ones.
      for (const row of others) this.push(row);
      this.state = 'done';
    } catch (error) {
      this.error = error;
      this.state = 'failed';
    }
    stop();
    this.wake();
  }

  /** Resolves with the first row or at the end of the result. Throws errors that occurred before the first row. */
  async begun(): Promise<void> {
    while (this.state === 'waiting') await this.next();
    if (this.state === 'failed' && this.store.waiting === 0) throw this.error;
  }

  async *batches(): AsyncGenerator<readonly Part[], undefined> {
    const { store } = this;
    try {
      for (;;) {
        const { waiting } = store;
        if (waiting > 0) {
          this.count += waiting;
          const parts = store.takeAll();
          this.bytes = 0;
          // If a socket is resumed in its own data callback, it is read again in the same turn of the event loop.
          if (isTurnOver()) await new Promise(setImmediate);
          this.resume();
          yield parts;
        } else if (this.state === 'failed') throw this.toError(this.error);
        else if (this.state === 'done') return;
        else await this.next();
      }
    } catch (error) {
      this.error = error;
      throw error;
    } finally {
      this.abandon();
      this.ended?.(this.count, this.error);
    }
  }

  abandon(): void {
    if (this.isAbandoned || this.state === 'done' || this.state === 'failed') return;
    this.isAbandoned = true;
    this.store.stop();
    this.resume();
    void this.connection.cancel();
  }

  private push(row: Row): void {
    this.store.push(row);
    this.arrived();
  }

  private arrived(): void {
    if (this.isAbandoned) return;
    this.state = 'arriving';
    this.since = performance.now();
    if (this.store.waiting >= enough) this.pause();
    this.wake();
  }

  private pause(): void {
    if (this.isPaused) return;
    this.isPaused = true;
    this.connection.pause();
  }

  private resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.since = performance.now();
    this.connection.resume();
  }

  private next(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}

const tooLong = {
  kind: 'timeout',
  aftermath: 'unreported',
  reason: 'no row within the time allowed',
} as const;
