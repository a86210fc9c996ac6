/** Sends reads before their turn, with the same rows, effects and errors as when run in order. */
import { afterChanges, type Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import { DatabaseFailure } from './failure.js';
import { holdRows } from '../handler/memory.js';
import { asError } from '../handler/reply.js';
import type { Connection } from './connection.js';
import type { StatementRunner, Statement } from './statement.js';
import type { PassedValue } from './sql-template.js';

/**
 * A read that may be in flight: `await` returns its rows, or throws the error of the statement. If possible, it is sent immediately, on
 * one connection together with the reads started with it; otherwise, when it is awaited. Await reads in the order in which they were
 * started. A read that is never awaited has no effect, and its failure is ignored.
 */
export type StartedRead<Entry extends Row = Row> = PromiseLike<Entry[]>;

/** Maximum number of reads of a loop in flight, and the number of reads in flight at which more are sent. */
export const window = 32;
export const refill = 16;

/** The group of consecutive reads that one call is currently starting. Further reads join the group. */
let open: ReadsAhead | undefined;

/** Starts a read. Reads started together are sent together, and must be awaited in the same order. */
export function startRead<Entry extends Row>(
  statement: Statement<Entry>,
  call: Call,
  values?: readonly PassedValue[],
): StartedRead<Entry>;
export function startRead(
  { runner }: Statement,
  call: Call,
  values: readonly PassedValue[] = [],
): StartedRead {
  if (open?.call !== call) open = new ReadsAhead(call);
  return open.add(runner, () => values);
}

/**
 * Yields the elements of a loop, each with its rows: `for await (const [comment, author] of readEach(selectAuthor, …))`. Up to 32 reads
 * are sent before the loop reaches them.
 */
export function readEach<Element, Entry extends Row>(
  statement: Statement<Entry>,
  call: Call,
  elements: readonly Element[],
  valuesOf: (element: Element) => readonly PassedValue[],
): AsyncIterable<readonly [Element, Entry[]]>;
export function readEach<Element>(
  { runner, each }: Statement,
  call: Call,
  elements: readonly Element[],
  valuesOf: (element: Element) => readonly PassedValue[],
): AsyncIterable<readonly [Element, Row[]]> {
  const reads = new ReadsAhead(call);
  const started: Read[] = [];
  /**
   * Rows of the next elements, which were read in one query; the number of elements before them; and whether more elements can be read
   * that way.
   */
  let ready: Row[][] = [];
  let passed = 0;
  let areAtOnce = each !== undefined;
  const ahead = elements.values();
  const loop = elements.values();
  const startNext = (): boolean => {
    const { done, value } = ahead.next();
    if (done === true) return false;
    started.push(reads.add(runner, () => valuesOf(value)));
    return reads.areAllSent;
  };
  // A generator or an asynchronous function would take 50 % longer for each element.
  const next = (): Promise<IteratorResult<readonly [Element, Row[]]>> => {
    if (areAtOnce && ready.length === 0) {
      const read = each?.start(call, elements, passed, valuesOf);
      areAtOnce = read !== undefined;
      if (read !== undefined) return read.then(take);
    }
    const found = ready.shift();
    if (found === undefined && reads.size <= refill && reads.sendAll())
      while (reads.size < window && startNext());
    const { done, value } = loop.next();
    if (done !== true && found !== undefined) return Promise.resolve({ done: false, value: [value, found] });
    const read = started.shift();
    if (done === true || read === undefined) return Promise.resolve({ done: true, value: undefined });
    return reads.rowsOf(read).then((rows) => ({ done: false, value: [value, rows] }));
  };
  const take = (found: Row[][] | undefined): ReturnType<typeof next> => {
    ready = found ?? [];
    passed += ready.length;
    areAtOnce = ready.length > 0;
    for (let index = 0; index < ready.length; index += 1) ahead.next();
    return next();
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

/**
 * Yields the elements of a loop, each with the reads started by `startReads`, which must be awaited in order. Reads are started before
 * the loop reaches them.
 */
export function* startEach<Element, const Reads extends readonly StartedRead[]>(
  call: Call,
  elements: readonly Element[],
  startReads: (element: Element) => Reads,
): Generator<readonly [Element, ...Reads], undefined> {
  const reads = new ReadsAhead(call);
  yield* startedAhead(elements, reads, (element) => {
    open = reads;
    try {
      return startReads(element);
    } finally {
      open = undefined;
    }
  });
}

/** Each element with its reads. The window limits the number of reads in flight. */
function* startedAhead<Element, const Reads extends readonly StartedRead[]>(
  elements: readonly Element[],
  reads: ReadsAhead,
  startReads: (element: Element) => Reads,
): Generator<readonly [Element, ...Reads], undefined> {
  const started: (() => Reads)[] = [];
  const rest = elements.values();
  for (const element of elements) {
    if (reads.size <= refill && reads.sendAll()) {
      for (let isSent = true; isSent && reads.size < window && started.length < window;) {
        const next = rest.next();
        if (next.done === true) break;
        started.push(attempt(() => startReads(next.value)));
        isSent = reads.areAllSent;
      }
    }
    const own = started.shift();
    if (own !== undefined) yield [element, ...own()];
  }
}

/** Delays errors: invalid values of an element are reported when the loop reaches it. */
function attempt<Result>(run: () => Result): () => Result {
  try {
    const result = run();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Reads of one call that are awaited in order. */
export class ReadsAhead {
  /** Reads that have not been awaited, in order. Sent reads precede unsent reads. */
  private readonly waiting: Read[] = [];
  /** Number of waiting reads that have been sent. */
  private sent = 0;
  private pinnedConnection: Connection | undefined;

  constructor(readonly call: Call) {}

  get size(): number {
    return this.waiting.length;
  }

  get areAllSent(): boolean {
    return this.sent === this.waiting.length;
  }

  /** `values` is called when the read is sent, and again if it is retried. */
  add(runner: StatementRunner, values: () => readonly PassedValue[]): Read {
    const read = new Read(runner, values, this);
    this.waiting.push(read);
    if (this.sent === this.waiting.length - 1) this.sendOne(read);
    return read;
  }

  /** Sends as many unsent reads as possible now; returns true if all are sent. */
  sendAll(): boolean {
    return this.waiting.slice(this.sent).every((read) => this.sendOne(read));
  }

  /** Returns the rows of a read that is being awaited. */
  rowsOf(read: Read): Promise<Row[]> {
    // Reads started later do not belong to this group.
    if (open === this) open = undefined;
    const { runner, values, sent } = read;
    // Concurrent iterations may start reads in one group and await them in a different order.
    if (this.waiting[0] === read) this.waiting.shift();
    else this.waiting.splice(this.waiting.indexOf(read), 1);
    try {
      if (sent === undefined) return runner.run(this.call, values());
      this.sent -= 1;
      this.call.proceed();
    } catch (error) {
      return Promise.reject(asError(error));
    }
    // An asynchronous function would create an additional promise for each read.
    return sent.then(this.held, (error: unknown) => this.rowsAgain(read, error));
  }

  private readonly held = (rows: Row[]): Row[] => {
    try {
      holdRows(this.call, rows);
    } catch (error) {
      throw afterChanges(this.call, error);
    }
    return rows;
  };

  private rowsAgain({ runner, values }: Read, error: unknown): Promise<Row[]> {
    runner.learn(error);
    // Later reads may have run too early, so they are repeated when it is their turn.
    for (const later of this.waiting) later.sent = undefined;
    this.sent = 0;
    const { kind, aftermath } = error instanceof DatabaseFailure ? error.failure : {};
    if (kind === 'timeout' && aftermath !== 'delayed') throw runner.toError(error, values());
    return runner.run(this.call, values());
  }

  private sendOne(read: Read): boolean {
    const { runner, values } = read;
    // A different connection would not preserve the order. A new one can be chosen when no reads are in flight.
    if (this.sent === 0) this.pinnedConnection = pinnedConnection(runner, this.call);
    try {
      read.sent = this.pinnedConnection && sendAhead(runner, this.call, values(), this.pinnedConnection);
    } catch {
      // Invalid values are reported when it is the read's turn.
      return false;
    }
    if (read.sent === undefined) return false;
    // After an exception or a failed read, later reads are never awaited.
    read.sent.catch(nothing);
    this.sent += 1;
    return true;
  }
}

/** The connection for sending a read ahead, together with the reads that follow; undefined if there is none available. */
export function pinnedConnection(runner: StatementRunner, call: Call): Connection | undefined {
  return runner.latency.isQuick ? runner.sharing(call)?.share() : undefined;
}

/**
 * Sends a read ahead; undefined if that is not possible. Rejects with a DatabaseFailure, which the runner's `toError` converts to the
 * error of `run`. Throws a ServiceError if the values cannot be bound.
 */
function sendAhead(
  runner: StatementRunner,
  call: Call,
  values: readonly PassedValue[],
  connection: Connection,
): Promise<Row[]> | undefined {
  const { latency, host } = runner;
  if (!latency.isQuick || connection.host !== runner.sharing(call)) return undefined;
  const start = performance.now();
  if (!connection.acceptsMoreAt(start)) return undefined;
  const query = runner.queryOf(call, values, undefined, undefined, true);
  const deadline = Math.min(call.deadline, start + host.use().timeout);
  const sent = connection.query(query, { deadline, latency });
  if (host.observer !== undefined) {
    const ended = (): void => {
      runner.ran(start);
    };
    sent.then(ended, ended);
  }
  return sent;
}

/** The rows of the read with the given index, requested when they are awaited. */
export class RowsOnDemand implements StartedRead {
  constructor(
    private readonly source: { rowsOf(index: number): Promise<Row[]> },
    private readonly index: number,
  ) {}

  then<Result = Row[], Failed = never>(
    onRows?: ((rows: Row[]) => Result | PromiseLike<Result>) | null,
    onError?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Result | Failed> {
    return this.source.rowsOf(this.index).then(onRows, onError);
  }
}

/** A read in a group. */
export class Read implements StartedRead {
  /** The rows of a sent read; undefined if it has not been sent. */
  sent: Promise<Row[]> | undefined;
  private rows: Promise<Row[]> | undefined;

  constructor(
    readonly runner: StatementRunner,
    readonly values: () => readonly PassedValue[],
    private readonly reads: ReadsAhead,
  ) {}

  then<Result = Row[], Failed = never>(
    onRows?: ((rows: Row[]) => Result | PromiseLike<Result>) | null,
    onError?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Result | Failed> {
    this.rows ??= this.reads.rowsOf(this);
    return this.rows.then(onRows, onError);
  }
}

function nothing(): void {
  // The failure is reported when the read is awaited.
}
