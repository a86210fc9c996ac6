/** Reads of a loop that need rows of earlier reads of the same element, read ahead for several elements. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import { asError } from '../handler/reply.js';
import { ReadsAhead, refill, RowsOnDemand, window, type Read, type StartedRead } from './reads-ahead.js';
import type { Statement } from './statement.js';
import type { PassedValue } from './sql-template.js';

/** The bound values of a read. */
type Values = readonly PassedValue[];

/**
 * A statement, and a function of its values, which depend on the element and the rows of the reads before it; undefined for an element
 * that skips the statement.
 */
export type Link<Known extends readonly unknown[], Entry extends Row> = readonly [
  statement: Statement<Entry>,
  valuesOf: (...known: Known) => Values | undefined,
];

type Chained<Element, Reads extends readonly StartedRead[]> = Generator<
  readonly [Element, ...Reads],
  undefined
>;

/**
 * Yields the elements of a loop, each with its reads, to be awaited in this order. The first awaited read fetches the rows of several
 * elements, the second those of the elements whose first rows are known, and so on. A failure is thrown where the loop awaits that read.
 */
export function startChain<Element, A extends Row, B extends Row>(
  call: Call,
  elements: readonly Element[],
  first: Link<[Element], A>,
  second: Link<[Element, A[]], B>,
): Chained<Element, [StartedRead<A>, StartedRead<B>]>;
export function startChain<Element, A extends Row, B extends Row, C extends Row>(
  call: Call,
  elements: readonly Element[],
  first: Link<[Element], A>,
  second: Link<[Element, A[]], B>,
  third: Link<[Element, A[], B[]], C>,
): Chained<Element, [StartedRead<A>, StartedRead<B>, StartedRead<C>]>;
export function startChain<Element, A extends Row, B extends Row, C extends Row, D extends Row>(
  call: Call,
  elements: readonly Element[],
  first: Link<[Element], A>,
  second: Link<[Element, A[]], B>,
  third: Link<[Element, A[], B[]], C>,
  fourth: Link<[Element, A[], B[], C[]], D>,
): Chained<Element, [StartedRead<A>, StartedRead<B>, StartedRead<C>, StartedRead<D>]>;
export function* startChain<Element>(
  call: Call,
  elements: readonly Element[],
  ...links: readonly Link<[Element, ...Row[][]], Row>[]
): Generator<readonly [Element, ...StartedRead[]], undefined> {
  const levels: Level[] = [];
  for (const [statement, valuesOf] of links) {
    const before = [...levels];
    const values = (index: number): Values | undefined => {
      // It is asked for indexes of the list.
      const element = elements[index] as Element;
      return valuesOf(element, ...before.map((level) => level.found(index)));
    };
    levels.push(new Level(call, statement, values, elements.length, before.at(-1)));
  }
  for (const [index, element] of elements.entries())
    yield [element, ...levels.map((level) => new RowsOnDemand(level, index))];
}

/** The values of an element. `values` throws if they are invalid. */
interface Wanted {
  readonly index: number;
  readonly values: () => Values;
}

/** The maximum of elements in one portion, and the minimum of elements to be read by one statement. */
const most = 128;
const few = 4;

/** One read of the chain, for all elements. */
class Level {
  /** The rows of a portion of the elements, by their indexes. An error ends the portion. */
  private portion = new Map<number, Row[] | Failure>();
  /** The first element whose rows are wanted and have not been read. */
  private end = 0;
  /** The next elements whose rows are wanted, and the index after them. */
  private readonly wanted: Wanted[] = [];
  private next = 0;
  /** The reads of the first of these that have been started. */
  private readonly started: Read[] = [];
  private readonly reads: ReadsAhead;
  private areAtOnce: boolean;

  constructor(
    private readonly call: Call,
    private readonly statement: Statement,
    private readonly valuesOf: (index: number) => Values | undefined,
    private readonly length: number,
    private readonly before: Level | undefined,
  ) {
    this.reads = new ReadsAhead(call);
    this.areAtOnce = statement.each !== undefined;
  }

  /** The rows of an element of the portion; empty if it has skipped the read. */
  found(index: number): Row[] {
    const rows = this.portion.get(index);
    return rows === undefined || rows instanceof Failure ? [] : rows;
  }

  /** Rejects with the error of the read. */
  rowsOf(index: number): Promise<Row[]> {
    const rows = this.portion.get(index);
    return rows === undefined ? this.read(index).then(() => this.taken(index)) : settled(rows);
  }

  private taken(index: number): Promise<Row[]> {
    const rows = this.portion.get(index);
    if (rows === undefined) throw new Error('a read of an element that skips it');
    return settled(rows);
  }

  /** Reads a portion, from this element on. Never fails. */
  private async read(index: number): Promise<void> {
    this.fill(index);
    this.portion = new Map();
    if (!(await this.readAtOnce())) await this.readAhead();
    this.end = this.wanted[0]?.index ?? this.next;
  }

  /** The index after the elements whose rows are known or not wanted. The loop has reached `index`. */
  private knownFrom(index: number): number {
    if (this.end <= index) {
      this.fill(index);
      this.end = this.wanted[0]?.index ?? this.next;
    }
    return Math.max(this.end, index + 1);
  }

  /** Finds out which elements need rows. */
  private fill(index: number): void {
    // Elements that the loop has left have skipped the read: their values are unknown now.
    this.next = Math.max(this.next, index);
    const limit = this.before?.knownFrom(index) ?? this.length;
    for (; this.next < limit && this.wanted.length < most; this.next += 1) {
      const values = this.valuesAt(this.next);
      if (values !== undefined) this.wanted.push({ index: this.next, values });
    }
  }

  /** Undefined for an element that skips the read. Invalid values are reported when the loop reaches it. */
  private valuesAt(index: number): Wanted['values'] | undefined {
    try {
      const values = this.valuesOf(index);
      return values && (() => values);
    } catch (error) {
      return () => {
        throw error;
      };
    }
  }

  private async readAtOnce(): Promise<boolean> {
    const { call, statement, wanted, started } = this;
    if (!this.areAtOnce || wanted.length < few || started.length > 0) return false;
    const found = await statement.each?.start(call, wanted, 0, ({ values }) => values());
    this.areAtOnce = found !== undefined;
    for (const rows of found ?? []) this.keep(rows);
    return this.areAtOnce;
  }

  /** Starts the first wanted reads, and waits for those already in flight. */
  private async readAhead(): Promise<void> {
    do {
      this.send();
      const read = this.started.shift();
      if (read === undefined) return;
      try {
        this.keep(await this.reads.rowsOf(read));
      } catch (error) {
        this.keep(new Failure(error));
        return;
      }
    } while (this.started[0]?.sent !== undefined && this.portion.size < window);
  }

  private send(): void {
    const { reads, started, wanted, statement } = this;
    if (reads.size > refill || !reads.sendAll()) return;
    while (reads.size < window && reads.areAllSent) {
      const next = wanted[started.length];
      if (next === undefined) return;
      started.push(reads.add(statement.runner, next.values));
    }
  }

  private keep(rows: Row[] | Failure): void {
    const first = this.wanted.shift();
    if (first !== undefined) this.portion.set(first.index, rows);
  }
}

/** An error that is thrown when the loop awaits the read. */
class Failure {
  constructor(readonly error: unknown) {}
}

function settled(rows: Row[] | Failure): Promise<Row[]> {
  return rows instanceof Failure ? Promise.reject(asError(rows.error)) : Promise.resolve(rows);
}
