/** Sends loop statements in a transaction for several elements, without waiting in between. */
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
 * Yields the elements of a loop, each with its statements, which must be awaited in order: `for (const [line, insertLineRun] of
 * sendEach(call, lines, [insertLine, (line) => [line.id]]))`. In a transaction on PostgreSQL, up to 128 statements are sent together, on
 * MariaDB up to 32, with the same effects, rows and errors as when run in order; on MariaDB without the rows. The first run of each
 * statement is sent alone.
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

/** Maximum number of statements sent together, and maximum bytes of their values. */
const most = 128;
const largest = 256 * 1024;

/** Maximum rows of a statement; statements that return more rows are no longer sent ahead. */
const mostRows = 16;

/** The run of a statement for one element. */
interface Planned {
  /** The position among all runs of the loop, including skipped runs. */
  readonly position: number;
  readonly statement: Statement;
  /** Returns the bound values. Throws if they are invalid. */
  readonly values: () => readonly PassedValue[];
}

interface Ended extends Planned {
  readonly outcome: PromiseSettledResult<Row[]>;
  readonly start: number;
}

class Runs<Element> {
  /** Completed runs that have not been awaited. */
  private readonly ended: Ended[] = [];
  /** The next runs, and the position after them. Their values are evaluated once. */
  private readonly planned: Planned[] = [];
  private next = 0;
  private areSmall = true;

  constructor(
    private readonly call: Call,
    private readonly elements: readonly Element[],
    private readonly links: readonly Link<[Element], Row>[],
  ) {}

  /** The rows of a run. Throws the errors of the statement. */
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

  /** Sends all runs that can be sent now. */
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

  /** The queries of the next runs, up to the first that cannot be sent. */
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

  /** Evaluates values until `count` runs are planned. */
  private plan(count: number): void {
    const { elements, links, planned } = this;
    const end = elements.length * links.length;
    for (; planned.length < count && this.next < end; this.next += 1) {
      const position = this.next;
      const link = links[position % links.length];
      if (link === undefined) return;
      const [statement, valuesOf] = link;
      // The index is always within the list.
      const element = elements[Math.floor(position / links.length)] as Element;
      const values = evaluated(() => valuesOf(element));
      if (values !== undefined) planned.push({ position, statement, values });
    }
  }
}

/** Evaluates the values of a run; undefined for a skipped run. Invalid values are reported when it is the run's turn. */
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

/** The query; undefined if the values are invalid or the statement cannot be sent ahead. */
function queryOf(make: () => Query | undefined): Query | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** The approximate bytes of the values. */
function sizeOf({ values }: Query): number {
  return values.reduce<number>((size, value) => size + sizeOfValue(value), 0);
}

function sizeOfValue(value: SqlValue): number {
  if (value instanceof BoundBytes) return Infinity;
  return value instanceof BoundNumber ? 8 : memoryOf(value);
}
