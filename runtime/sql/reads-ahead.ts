/** Reads that are sent before it is their turn, and answered as if they ran one after the other (decisions 7.1). */
import type { Call } from '../call.js';
import type { Row } from '../json.js';
import type { Statement } from './database.js';
import { DatabaseFailure } from './failure.js';
import type { Lane } from './shared-reads.js';
import type { SqlValue } from './sql-value.js';

/** A statement of a READ, and its values, which are read when it is sent. */
export type Reading = readonly [statement: Statement, values: () => readonly SqlValue[]];

/** Gives the rows of a read when it is its turn. Throws what the statement itself would throw. */
export type Turn = () => Promise<Row[]>;

/** One for each of the readings. */
type Turns<Readings extends readonly Reading[]> = { readonly [Index in keyof Readings]: Turn };

/** How many reads of a loop are under way at most, and how few there are when more are sent. */
const window = 32;
const refill = 16;

/**
 * Sends the reads together, on one connection and in their order, where that is possible; else each is sent when it is
 * its turn. Their turns must be taken in this order, and a turn that is not taken leaves no trace.
 */
export function readTogether<const Readings extends readonly Reading[]>(
  call: Call,
  readings: Readings,
): Turns<Readings> {
  const reads = new ReadsAhead(call, readings.values());
  reads.send();
  return readings.map(() => () => reads.next()) as unknown as Turns<Readings>;
}

/**
 * Gives the elements of a loop, each with the turns of the reads that it needs, which are sent before the loop comes to
 * them.
 */
export function* readAhead<Element, const Readings extends readonly Reading[]>(
  call: Call,
  elements: readonly Element[],
  readingsOf: (element: Element) => Readings,
): Generator<readonly [Element, ...Turns<Readings>], undefined> {
  const reads = new ReadsAhead(call, flat(elements, readingsOf));
  let turns: Turn[] | undefined;
  for (const element of elements) {
    turns ??= readingsOf(element).map(() => () => reads.next());
    reads.send();
    yield [element, ...turns] as unknown as readonly [Element, ...Turns<Readings>];
  }
}

function* flat<Element>(
  elements: readonly Element[],
  readingsOf: (element: Element) => readonly Reading[],
): Generator<Reading, undefined> {
  for (const element of elements) yield* readingsOf(element);
}

/** A read that may have been sent. */
interface Pending {
  readonly reading: Reading;
  sent: Promise<Row[]> | undefined;
}

/** A row of reads whose turns come one after the other. */
class ReadsAhead {
  /** Those whose turn has not come, the next one first; behind one that has not been sent, none has been. */
  private readonly pending: Pending[] = [];
  /** How many of them, from the first one on, have been sent. */
  private sent = 0;
  private lane: Lane | undefined;
  private isEnd = false;

  constructor(
    private readonly call: Call,
    private readonly readings: Iterator<Reading>,
  ) {}

  /** Sends what can be sent now. */
  send(): void {
    if (this.pending.length > refill) return;
    for (const pending of this.pending.slice(this.sent)) if (!this.sendOne(pending)) return;
    while (this.pending.length < window && !this.isEnd) {
      const next = this.readings.next();
      if (next.done === true) {
        this.isEnd = true;
        return;
      }
      const pending: Pending = { reading: next.value, sent: undefined };
      this.pending.push(pending);
      if (!this.sendOne(pending)) return;
    }
  }

  /** The rows of the read whose turn it is. */
  async next(): Promise<Row[]> {
    if (this.pending.length === 0) this.send();
    const pending = this.pending.shift();
    if (pending === undefined) throw new Error('there is no read left whose turn it could be');
    const { reading, sent } = pending;
    const [statement, values] = reading;
    if (sent === undefined) return statement(this.call, values());
    this.sent -= 1;
    this.call.proceed();
    try {
      return await sent;
    } catch (error) {
      statement.runner.learn(error);
      // Those behind it may have run before it runs again: they run again too, when it is their turn.
      for (const later of this.pending) later.sent = undefined;
      this.sent = 0;
      const { kind, delayed } = error instanceof DatabaseFailure ? error.failure : {};
      if (kind === 'timeout' && delayed !== true) throw statement.runner.told(error, values());
      return await statement(this.call, values());
    }
  }

  private sendOne(pending: Pending): boolean {
    const [statement, values] = pending.reading;
    // Another connection would not keep the order; it can be chosen anew when nothing is under way.
    if (this.sent === 0) this.lane = statement.runner.lane(this.call);
    try {
      pending.sent = this.lane && statement.runner.ahead(this.call, values(), this.lane);
    } catch {
      // Whatever is wrong with the values is told when it is its turn.
      return false;
    }
    if (pending.sent === undefined) return false;
    // Where an exception fires, or a read fails, nobody waits for those behind it.
    pending.sent.catch(nothing);
    this.sent += 1;
    return true;
  }
}

function nothing(): void {
  // Whose turn it is tells the failure.
}
