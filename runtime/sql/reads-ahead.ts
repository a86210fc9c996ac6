/** Reads that are sent before their turn, with the rows, effects and errors of a run in order. */
import { afterChanges, type Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import { DatabaseFailure } from './failure.js';
import { holdRows } from '../handler/memory.js';
import { asError } from '../handler/reply.js';
import type { Connection } from './connection.js';
import type { StatementRunner, Statement } from './statement.js';
import type { PassedValue } from './sql-template.js';

/**
 * A read that may be in flight: `await` returns its rows, or throws the error of the statement. If possible it is sent immediately, on one
 * connection with the reads started with it; otherwise when it is awaited. Await reads in the order of their starts. A read that is never
 * awaited has no effect, and its failure is ignored.
 */
export type StartedRead<Entry extends Row = Row> = PromiseLike<Entry[]>;

/** The maximum of reads in flight of a loop, and the number of reads at which more are sent. */
export const window = 32;
export const refill = 16;

/** The reads that one call is currently starting in a row. Further reads join them. */
let open: ReadsAhead | undefined;

/** Starts the read. Reads that are started together are sent together, and must be awaited in the same order. */
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
 * Yields the elements of a loop, each with its rows: `for await (const [comment, author] of readEach(selectAuthor, …))`. Up to 32 reads are
 * sent before the loop reaches them.
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
   * Rows of the next elements, which were read in one query; the number of elements before them; and whether more can be read in this way.
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
  // A generator or an asynchronous function would take half as long again for each element.
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
 * Yields the elements of a loop, each with the reads that `startReads` starts for it, to be awaited in this order. Reads are started before
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

/** Each element with its reads, of which as many are in flight as the window allows. */
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

/** Invalid values of an element are reported when the loop reaches it. */
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

/** Reads of one call that are awaited one after the other. */
export class ReadsAhead {
  /** Reads that have not been awaited, the next one first. After an unsent read there are only unsent reads. */
  private readonly waiting: Read[] = [];
  /** How many of them, from the first one on, have been sent. */
  private sent = 0;
  private pinnedConnection: Connection | undefined;

  constructor(readonly call: Call) {}

  get size(): number {
    return this.waiting.length;
  }

  get areAllSent(): boolean {
    return this.sent === this.waiting.length;
  }

  /** `values` is called when the read is sent, and again when it has to run a second time. */
  add(runner: StatementRunner, values: () => readonly PassedValue[]): Read {
    const read = new Read(runner, values, this);
    this.waiting.push(read);
    if (this.sent === this.waiting.length - 1) this.sendOne(read);
    return read;
  }

  /** Sends unsent reads as far as possible now; true if all are sent. */
  sendAll(): boolean {
    return this.waiting.slice(this.sent).every((read) => this.sendOne(read));
  }

  /** The rows of a read that is awaited. */
  rowsOf(read: Read): Promise<Row[]> {
    // Later reads do not belong to these.
    if (open === this) open = undefined;
    const { runner, values, sent } = read;
    // Iterations that run at the same time may have started reads in one group and await them in another order.
    if (this.waiting[0] === read) this.waiting.shift();
    else this.waiting.splice(this.waiting.indexOf(read), 1);
    try {
      if (sent === undefined) return runner.run(this.call, values());
      this.sent -= 1;
      this.call.proceed();
    } catch (error) {
      return Promise.reject(asError(error));
    }
    // An asynchronous function would create another promise for each read.
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
    // Later reads may have run before it runs again. They run again, too, when it is their turn.
    for (const later of this.waiting) later.sent = undefined;
    this.sent = 0;
    const { kind, aftermath } = error instanceof DatabaseFailure ? error.failure : {};
    if (kind === 'timeout' && aftermath !== 'delayed') throw runner.toError(error, values());
    return runner.run(this.call, values());
  }

  private sendOne(read: Read): boolean {
    const { runner, values } = read;
    // Another connection would not keep the order. A new one can be chosen when none of the reads is in flight.
    if (this.sent === 0) this.pinnedConnection = pinnedConnection(runner, this.call);
    try {
      read.sent = this.pinnedConnection && sendAhead(runner, this.call, values(), this.pinnedConnection);
    } catch {
      // Invalid values are reported when it is its turn.
      return false;
    }
    if (read.sent === undefined) return false;
    // After an exception or a failed read, the later reads are not awaited.
    read.sent.catch(nothing);
    this.sent += 1;
    return true;
  }
}

/** The connection on which it can be sent ahead, together with the reads that follow; undefined if there is none now. */
export function pinnedConnection(runner: StatementRunner, call: Call): Connection | undefined {
  return runner.latency.isQuick ? runner.sharing(call)?.share() : undefined;
}

/**
 * Undefined if that is not possible. Rejects with a DatabaseFailure, which `toError` of the runner converts to the error of `run`. Throws a
 * ServiceError if the values cannot be bound.
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

/** Rows that are asked for when they are awaited, by their index. */
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

/** A read of the group. */
export class Read implements StartedRead {
  /** Undefined if it has not been sent. */
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
  // The failure is reported to whoever awaits it.
}
