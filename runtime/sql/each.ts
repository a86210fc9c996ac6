/** Runs reads of a loop for several elements in one statement, with the same results as single statements. */
import type { Call } from '../handler/call.js';
import type { Json, Row } from '../handler/json.js';
import type { EachRead, StatementDefinition } from './statement-definition.js';
import type { StatementRunner, Statement } from './statement.js';
import type { PassedValue } from './sql-template.js';

export interface EachDefinition extends StatementDefinition {
  readonly sql: string;
  /**
   * SQL that runs `sql` for several elements. One column is the position of the element, starting at 1. On PostgreSQL, this is the
   * first column, and the values are lists; on MySQL and MariaDB it is the last column, and the statement is one part, for one element,
   * of a UNION ALL.
   */
  readonly each: string;
}

/** The methods of the datasource that are needed here. */
interface Reader {
  read<Entry extends Row>(definition: StatementDefinition): Statement<Entry>;
}

/** Creates a statement that can read several loop elements in one query. */
export function eachOf<Entry extends Row = Row>(
  datasource: Reader,
  { each, ...definition }: EachDefinition,
): Statement<Entry> {
  const one = datasource.read<Entry>(definition);
  const { operation, fulfillment, sql, parameters } = definition;
  const all = datasource.read<RowOfElement>({
    ...{ operation, fulfillment, sql: each, eachOf: sql },
    ...(parameters === undefined ? {} : { parameters }),
  });
  return Object.assign(one, { each: new Each(one.runner, ofLists(all)) });
}

/** A statement whose values are lists. */
function ofLists(all: Statement<RowOfElement>): AtOnce {
  return {
    latencies: [all.runner.latency],
    countOf: (wanted) => wanted,
    start(call, rows) {
      if (!rows.every((values) => values.every(isPlain))) return undefined;
      return all(
        call,
        (rows[0] ?? []).map((_, index) => rows.map((values): Json => plain(values[index]))),
      );
    },
  };
}

/** Allowed numbers of elements in a UNION ALL. Each number requires a different statement. */
const sizes = [16, 4];
/** Maximum number of values, and of characters in the SQL. Longer statements are not worth the server's memory. */
const mostValues = 256;
const longest = 32_768;

/** Maximum characters of all values. A server that receives a packet larger than `max_allowed_packet` closes the connection. */
const largest = 16_384;

/** Creates a MySQL or MariaDB statement that can read several loop elements in one query, as parts of a UNION ALL. */
export function eachInUnion<Entry extends Row = Row>(
  datasource: Reader,
  { each, ...definition }: EachDefinition,
): Statement<Entry> {
  const one = datasource.read<Entry>(definition);
  const { operation, fulfillment, sql, parameters, columnNames, comparedTypes, truths } = definition;
  const markers = each.split('?').length;
  const unions = sizes
    .filter((size) => size * markers <= mostValues && size * each.length <= longest)
    .map((size) => ({
      size,
      statement: datasource.read<RowOfElement>({
        ...{ operation, fulfillment, eachOf: sql },
        sql: Array.from({ length: size }, () => `(${each})`).join('\nUNION ALL\n'),
        elements: size,
        ...(parameters === undefined ? {} : { parameters }),
        ...(columnNames === undefined ? {} : { columnNames }),
        ...(truths === undefined ? {} : { truths }),
        ...(comparedTypes === undefined ? {} : { comparedTypes }),
      }),
    }));
  if (unions.length === 0) return one;
  const unionFor = (wanted: number): (typeof unions)[number] | undefined =>
    unions.find(({ size }) => size <= wanted);
  const all: AtOnce = {
    latencies: unions.map(({ statement }) => statement.runner.latency),
    countOf: (wanted) => unionFor(wanted)?.size ?? 0,
    start(call, rows) {
      const values = rows.flatMap((own, index) => [index + 1, ...own]);
      if (lengthOf(values) > largest) return undefined;
      return unionFor(rows.length)?.statement(call, values);
    },
  };
  return Object.assign(one, { each: new Each(one.runner, all) });
}

/** Total characters of the values; unknown for binary data and documents. */
function lengthOf(values: readonly PassedValue[]): number {
  let length = 0;
  for (const value of values) {
    if (typeof value === 'string') length += value.length;
    else if (!isPlain(value) && typeof value !== 'boolean') return Infinity;
  }
  return length;
}

/** A strategy for reading several elements in one query. */
interface AtOnce {
  /** The latencies of the statements; the first is that of the statement for the most elements. */
  readonly latencies: readonly StatementRunner['latency'][];
  /** How many of the wanted elements one statement reads. */
  countOf(wanted: number): number;
  /** Starts the query; undefined if the values do not allow it. */
  start(call: Call, rows: readonly (readonly PassedValue[])[]): Promise<RowOfElement[]> | undefined;
}

/** A row with the position of its element. */
type RowOfElement = { readonly place: number; readonly row: Row };

/** Minimum and maximum number of elements in one statement. Smaller numbers are read one by one. */
const few = 4;
const most = 128;

/** Maximum estimated milliseconds of one statement. */
const budget = 8;

/** Average milliseconds at which a statement counts as too slow. */
const slow = 16 * budget;

/** Maximum estimated rows of one statement. */
const rowsAtOnce = 2_048;

/** Milliseconds before the next attempt after a failure, or after a slow statement. */
const pause = 60_000;

class Each implements EachRead {
  /**
   * The end of a pause after a failure. The failure itself is not reported, because the reads then run one by one and report their own
   * failures.
   */
  private pausedUntil = 0;
  /** Estimated rows for each element; initially a high number. */
  private rows = 64;
  /** Average number of elements in a statement. */
  private count = 1;

  constructor(
    private readonly one: StatementRunner,
    private readonly all: AtOnce,
  ) {}

  start<Element>(
    call: Call,
    elements: readonly Element[],
    from: number,
    valuesOf: (element: Element) => readonly PassedValue[],
  ): Promise<Row[][] | undefined> | undefined {
    // In a transaction, a failure would undo earlier statements.
    if (call.transaction !== undefined) return undefined;
    const count = this.all.countOf(Math.min(this.size(), elements.length - from));
    const rows = count < few ? undefined : valuesOfAll(elements.slice(from, from + count), valuesOf);
    const read = rows && this.all.start(call, rows);
    return read && this.found(call, count, read);
  }

  /** Number of elements that may be read in one query now. */
  private size(): number {
    const { one, all } = this;
    const now = performance.now();
    if (one.latency.isUnknown || now < this.pausedUntil) return 0;
    // An occasional run shows whether the statement has become fast again.
    if (all.latencies.some(({ mean }) => mean > slow)) this.pausedUntil = now + pause;
    const [latency] = all.latencies;
    const mean = Math.min(
      one.latency.mean,
      latency?.isUnknown === false ? latency.mean / this.count : Infinity,
    );
    return Math.min(most, Math.floor(budget / mean), Math.floor(rowsAtOnce / this.rows));
  }

  private async found(
    call: Call,
    count: number,
    read: Promise<RowOfElement[]>,
  ): Promise<Row[][] | undefined> {
    try {
      const rows = await read;
      const found = Array.from({ length: count }, (): Row[] => []);
      for (const { place, row } of rows) {
        const own = found[place - 1];
        if (own === undefined) throw new Error('a row of no element');
        own.push(row);
      }
      this.rows = Math.max(1, rows.length / count, this.rows / 2);
      this.count += (count - this.count) / 8;
      return found;
    } catch {
      if (!isOver(call)) this.pausedUntil = performance.now() + pause;
      return undefined;
    }
  }
}

/** Whether the results are no longer needed, which is not a failure of the statement. */
function isOver(call: Call): boolean {
  try {
    call.proceed();
    return false;
  } catch {
    return true;
  }
}

/** The values of each element. Undefined if an element has invalid values, which are reported when that element is read. */
function valuesOfAll<Element>(
  elements: readonly Element[],
  valuesOf: (element: Element) => readonly PassedValue[],
): (readonly PassedValue[])[] | undefined {
  try {
    return elements.map((element) => valuesOf(element));
  } catch {
    return undefined;
  }
}

/** Whether the value has the same meaning inside a list. */
function isPlain(value: PassedValue): boolean {
  return value === undefined || value === null || typeof value === 'string' || typeof value === 'number';
}

function plain(value: PassedValue): Json {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
