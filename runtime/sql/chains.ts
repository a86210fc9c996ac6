/** Prefetches the reads of a loop that depend on rows of earlier reads for the same element, for several elements together. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import { asError } from '../handler/reply.js';
import { ReadsAhead, refill, RowsOnDemand, window, type Read, type StartedRead } from './reads-ahead.js';
import type { Statement } from './statement.js';
import type { PassedValue } from './sql-template.js';

/** The bound values of a statement. */
type Values = readonly PassedValue[];

/**
 * A statement, and the function that computes its values from the element and the rows of its earlier reads; undefined for elements
 * that skip the statement.
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
 * Yields the elements of a loop, each with its reads, which must be awaited in order. Awaiting the first read fetches its rows for
 * several elements; awaiting the second fetches its rows for the elements whose first rows are known, and so on. Failures are thrown
 * when the loop awaits the read.
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
      // The index is always within the list.
      const element = elements[index] as Element;
      return valuesOf(element, ...before.map((level) => level.found(index)));
    };
    levels.push(new Level(call, statement, values, elements.length, before.at(-1)));
  }
  for (const [index, element] of elements.entries())
    yield [element, ...levels.map((level) => new RowsOnDemand(level, index))];
}

/** An element to be read. `values` throws if the values are invalid. */
interface Wanted {
  readonly index: number;
  readonly values: () => Values;
}

/** Maximum number of elements in one portion, and minimum number of elements read by one statement. */
const most = 128;
const few = 4;

/** One read of the chain, for all elements of the loop. */
class Level {
  /** The rows of the current portion of elements, by index. An error ends the portion. */
  private portion = new Map<number, Row[] | Failure>();
  /** The index of the first element that needs rows and has not been read. */
  private end = 0;
  /** The next elements that need rows, and the index after them. */
  private readonly wanted: Wanted[] = [];
  private next = 0;
  /** Reads already started for the first elements of `wanted`. */
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

  /** The rows of an element in the portion; empty if the element skipped the read. */
  found(index: number): Row[] {
    const rows = this.portion.get(index);
    return rows === undefined || rows instanceof Failure ? [] : rows;
  }

  /** Resolves with the rows of an element. Rejects with the error of the read. */
  rowsOf(index: number): Promise<Row[]> {
    const rows = this.portion.get(index);
    return rows === undefined ? this.read(index).then(() => this.taken(index)) : settled(rows);
  }

  private taken(index: number): Promise<Row[]> {
    const rows = this.portion.get(index);
    if (rows === undefined) throw new Error('a read of an element that skips it');
    return settled(rows);
  }

  /** Reads a portion that begins with this element. Never fails. */
  private async read(index: number): Promise<void> {
    this.fill(index);
    this.portion = new Map();
    if (!(await this.readAtOnce())) await this.readAhead();
    this.end = this.wanted[0]?.index ?? this.next;
  }

  /** The index after the last element whose rows are known or not needed, while the loop is at `index`. */
  private knownFrom(index: number): number {
    if (this.end <= index) {
      this.fill(index);
      this.end = this.wanted[0]?.index ?? this.next;
    }
    return Math.max(this.end, index + 1);
  }

  /** Determines which elements need rows. */
  private fill(index: number): void {
    // Elements before `index` have skipped the read, and their values are no longer available.
    this.next = Math.max(this.next, index);
    const limit = this.before?.knownFrom(index) ?? this.length;
    for (; this.next < limit && this.wanted.length < most; this.next += 1) {
      const values = this.valuesAt(this.next);
      if (values !== undefined) this.wanted.push({ index: this.next, values });
    }
  }

  /** The values; undefined if the element skips the read. Errors are thrown when the loop reaches the element. */
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

  /** Starts the first of the needed reads, and waits for those in flight. */
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
