/** Statements of a loop in a transaction that are sent for several elements without waiting between them. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import { memoryOf } from '../handler/memory.js';
import { asError } from '../handler/reply.js';
import type { Link } from './chains.js';
import type { Query } from './driver.js';
import { RowsOnDemand, type StartedRead } from './reads-ahead.js';
import { DatabaseTransaction } from './run-alone.js';
import { BoundBytes, BoundNumber, type PassedValue, type SqlValue } from './sql-template.js';
import type { Statement } from './statement.js';

/**
 * Yields the elements of a loop, each with its statements, to be awaited in this order: `for (const [line, insertLineRun] of sendEach(call,
 * lines, [insertLine, (line) => [line.id]]))`. In a transaction on PostgreSQL up to 128 of them are sent together, and have the effects,
 * rows and errors of a run in order. The first one of each statement runs alone.
 */
export function sendEach<Element, const Rows extends readonly Row[]>(
  call: Call,
  elements: readonly Element[],
  ...links: { readonly [Index in keyof Rows]: Link<[Element], Rows[Index]> }
): Generator<readonly [Element, ...{ readonly [Index in keyof Rows]: StartedRead<Rows[Index]> }], undefined>;
export function* sendEach<Element>(
  call: Call,
  elements: readonly Element[],
  ...links: readonly Link<[Element], Row>[]
): Generator<readonly [Element, ...StartedRead[]], undefined> {
  const runs = new Runs(call, elements, links);
  for (const [index, element] of elements.entries())
    yield [element, ...links.map((_, link) => new RowsOnDemand(runs, index * links.length + link))];
}

/** Statements that are sent together, at most, and what their values may take. */
const most = 128;
const largest = 256 * 1024;

/** A statement that returns more rows is not sent ahead any more. */
const mostRows = 16;

/** The run of a statement for one element. */
interface Planned {
  /** Of all runs of the loop, those that are skipped included. */
  readonly position: number;
  readonly statement: Statement;
  /** Throws where they are invalid. */
  readonly values: () => readonly PassedValue[];
}

interface Ended extends Planned {
  readonly outcome: PromiseSettledResult<Row[]>;
  readonly start: number;
}

class Runs<Element> {
  /** Those that have run, and are not awaited yet. */
  private readonly ended: Ended[] = [];
  /** The next ones, and the position after them. Their values are evaluated once. */
  private readonly planned: Planned[] = [];
  private next = 0;
  private areSmall = true;

  constructor(
    private readonly call: Call,
    private readonly elements: readonly Element[],
    private readonly links: readonly Link<[Element], Row>[],
  ) {}

  /** Throws what the statement itself throws. */
  async rowsOf(position: number): Promise<Row[]> {
    const { call, ended } = this;
    if (ended.length === 0) await this.sendAhead();
    const [done] = ended;
    if (done !== undefined) {
      if (done.position !== position) throw new Error('a statement that is not the next one');
      ended.shift();
      call.proceed();
      return this.checked(done.statement.runner.ended(call, done.values(), done.outcome, done.start));
    }
    this.plan(1);
    const planned = this.planned.shift();
    if (planned?.position !== position) throw new Error('a statement that is not the next one');
    return this.checked(await planned.statement.runner.run(call, planned.values()));
  }

  private checked(rows: Row[]): Row[] {
    this.areSmall &&= rows.length <= mostRows;
    return rows;
  }

  /** Sends those that can be sent now. */
  private async sendAhead(): Promise<void> {
    const { call, planned } = this;
    const { transaction } = call;
    if (!(transaction instanceof DatabaseTransaction) || !this.areSmall) return;
    this.plan(most);
    const datasource = planned[0]?.statement.runner.on(call);
    if (datasource === undefined) return;
    const start = performance.now();
    for (const outcome of await transaction.runAhead(datasource, this.queries(), call)) {
      const run = planned.shift();
      if (run !== undefined) this.ended.push({ ...run, outcome, start });
    }
  }

  /** Of the next ones, up to the first that cannot be sent. */
  private *queries(): Generator<Query, undefined> {
    let size = 0;
    for (const { statement, values } of this.planned) {
      const query = queryOf(() => statement.runner.ahead(this.call, values()));
      if (query === undefined) return;
      size += sizeOf(query);
      if (size > largest) return;
      yield query;
    }
  }

  /** Evaluates values until so many runs are planned. */
  private plan(count: number): void {
    const { elements, links, planned } = this;
    const end = elements.length * links.length;
    for (; planned.length < count && this.next < end; this.next += 1) {
      const position = this.next;
      const link = links[position % links.length];
      if (link === undefined) return;
      const [statement, valuesOf] = link;
      // It is one of the list.
      const element = elements[Math.floor(position / links.length)] as Element;
      const values = evaluated(() => valuesOf(element));
      if (values !== undefined) planned.push({ position, statement, values });
    }
  }
}

/** Undefined for a run that is skipped. Invalid values are reported when it is their turn. */
function evaluated(
  evaluate: () => readonly PassedValue[] | undefined,
): (() => readonly PassedValue[]) | undefined {
  try {
    const values = evaluate();
    return values && (() => values);
  } catch (error) {
    return () => {
      throw asError(error);
    };
  }
}

/** Undefined also for invalid values. */
function queryOf(make: () => Query | undefined): Query | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** About the bytes of its values. */
function sizeOf({ values }: Query): number {
  return values.reduce<number>((size, value) => size + sizeOfValue(value), 0);
}

function sizeOfValue(value: SqlValue): number {
  if (value instanceof BoundBytes) return Infinity;
  return value instanceof BoundNumber ? 8 : memoryOf(value);
}
