/** Reads of a loop that the database runs for several elements at once, as one statement (decisions 7.1). */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import type { EachRead, StatementDefinition } from './database.js';
import type { StatementRunner, Statement } from './statement.js';
import type { PassedValue } from './sql.js';

export interface EachDefinition extends StatementDefinition {
  readonly sql: string;
  /** Runs `sql` for each element of the lists of its values; its first column is the position of the element, from 1 on. */
  readonly each: string;
}

/** The datasource, as far as it is needed here. */
interface Reader {
  read<Entry extends Row>(definition: StatementDefinition): Statement<Entry>;
}

/** A statement that loops read for several elements at once. */
export function eachOf<Entry extends Row = Row>(
  datasource: Reader,
  { each, ...definition }: EachDefinition,
): Statement<Entry> {
  const one = datasource.read<Entry>(definition);
  const { operation, fulfillment, sql } = definition;
  const all = datasource.read<RowOfElement>({ operation, fulfillment, sql: each, eachOf: sql });
  return Object.assign(one, { each: new Each(one.runner, all) });
}

/** A row, and the position of its element. */
type RowOfElement = { readonly place: number; readonly row: Row };

/** Elements of one statement: fewer are read one by one. */
const few = 4;
const most = 128;

/** Milliseconds that one statement may take, as far as that is known. */
const budget = 8;

/** Average milliseconds of one statement that are too many. */
const slow = 16 * budget;

/** Rows of one statement, as far as their number is known. */
const rowsAtOnce = 2_048;

/** Milliseconds for which it is not tried again after a failure, or while it is slow. */
const pause = 60_000;

class Each implements EachRead {
  /** Nobody hears of a failure: the reads run one by one and report theirs. */
  private pausedUntil = 0;
  /** The number of rows of an element, an estimate; many before anything is known. */
  private rows = 64;
  /** The number of elements of a statement, on average. */
  private count = 1;

  constructor(
    private readonly one: StatementRunner,
    private readonly all: Statement<RowOfElement>,
  ) {}

  start<Element>(
    call: Call,
    elements: readonly Element[],
    from: number,
    valuesOf: (element: Element) => readonly PassedValue[],
  ): Promise<Row[][] | undefined> | undefined {
    // There a failure would undo what ran before.
    if (call.transaction !== undefined) return undefined;
    const chosen = elements.slice(from, from + this.size());
    const lists = chosen.length < few ? undefined : listsOf(chosen, valuesOf);
    return lists && this.read(call, chosen.length, lists);
  }

  /** How many elements may be read at once now. */
  private size(): number {
    const { one, all } = this;
    const now = performance.now();
    if (one.latency.isUnknown || now < this.pausedUntil) return 0;
    // Now and then one run shows whether it is quick again.
    if (all.runner.latency.mean > slow) this.pausedUntil = now + pause;
    const { latency } = all.runner;
    const mean = latency.isUnknown ? one.latency.mean : Math.min(one.latency.mean, latency.mean / this.count);
    return Math.min(most, Math.floor(budget / mean), Math.floor(rowsAtOnce / this.rows));
  }

  private async read(call: Call, count: number, lists: readonly PassedValue[]): Promise<Row[][] | undefined> {
    try {
      const rows = await this.all(call, lists);
      const found = Array.from({ length: count }, (): Row[] => []);
      for (const { place, row } of rows) found[place - 1]?.push(row);
      this.rows = Math.max(1, rows.length / count, this.rows / 2);
      this.count += (count - this.count) / 8;
      return found;
    } catch {
      if (!isOver(call)) this.pausedUntil = performance.now() + pause;
      return undefined;
    }
  }
}

/** Whether nobody needs its results any more, which is not a failure of the statement. */
function isOver(call: Call): boolean {
  try {
    call.proceed();
    return false;
  } catch {
    return true;
  }
}

/** The lists of the values, one for each value of the statement; undefined for values that are not alike in a list. */
function listsOf<Element>(
  elements: readonly Element[],
  valuesOf: (element: Element) => readonly PassedValue[],
): PassedValue[] | undefined {
  const rows: (readonly (string | number | null)[])[] = [];
  for (const element of elements) {
    const values = plainValues(element, valuesOf);
    if (values === undefined) return undefined;
    rows.push(values);
  }
  return rows[0]?.map((_, index) => rows.map((values) => values[index] ?? null));
}

/** Undefined also where there are none, which the read of the element reports. */
function plainValues<Element>(
  element: Element,
  valuesOf: (element: Element) => readonly PassedValue[],
): (string | number | null)[] | undefined {
  try {
    const values: (string | number | null)[] = [];
    for (const value of valuesOf(element)) {
      if (value === undefined || value === null) values.push(null);
      else if (typeof value === 'string' || typeof value === 'number') values.push(value);
      else return undefined;
    }
    return values;
  } catch {
    return undefined;
  }
}
