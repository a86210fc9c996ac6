/** Reads of a loop that run for several elements in one statement. The results are those of single statements. */
import type { Call } from '../handler/call.js';
import type { Json, Row } from '../handler/json.js';
import type { EachRead, StatementDefinition } from './statement-definition.js';
import type { StatementRunner, Statement } from './statement.js';
import type { PassedValue } from './sql-template.js';

export interface EachDefinition extends StatementDefinition {
  readonly sql: string;
  /**
   * Runs `sql` for several elements. One of its columns is the position of the element, from 1 on. On PostgreSQL it is the first column,
   * and the values are lists; on MySQL and MariaDB it is the last column, and the statement is for one element, as a part of a UNION ALL.
   */
  readonly each: string;
}

/** The datasource, as far as it is needed here. */
interface Reader {
  read<Entry extends Row>(definition: StatementDefinition): Statement<Entry>;
}

/** A statement that loops read for several elements in one query. */
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

/** A statement whose parameters are lists. */
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

/** Numbers of elements in a UNION ALL. Each number needs a different statement. */
const sizes = [16, 4];
/** Maximum values, and maximum characters of the SQL. Longer statements are not worth the server's memory. */
const mostValues = 256;
const longest = 32_768;

/** Maximum characters of all values. A server that receives more than `max_allowed_packet` in one packet ends the connection. */
const largest = 16_384;

/** A statement of MySQL or MariaDB that loops read for several elements in one query, as parts of a UNION ALL. */
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

/** Characters of the values; unknown for bytes and documents. */
function lengthOf(values: readonly PassedValue[]): number {
  let length = 0;
  for (const value of values) {
    if (typeof value === 'string') length += value.length;
    else if (!isPlain(value) && typeof value !== 'boolean') return Infinity;
  }
  return length;
}

/** How several elements are read in one query. */
interface AtOnce {
  /** The latencies of its statements; the first is that of the statement for the most elements. */
  readonly latencies: readonly StatementRunner['latency'][];
  /** How many of the wanted elements one statement reads. */
  countOf(wanted: number): number;
  /** Undefined for values that do not allow it. */
  start(call: Call, rows: readonly (readonly PassedValue[])[]): Promise<RowOfElement[]> | undefined;
}

/** A row, and the position of its element. */
type RowOfElement = { readonly place: number; readonly row: Row };

/** Elements of one statement: fewer are read one by one. */
const few = 4;
const most = 128;

/** Maximum milliseconds of one statement, as far as they can be estimated. */
const budget = 8;

/** Average milliseconds from which one statement is too slow. */
const slow = 16 * budget;

/** Maximum rows of one statement, as far as they can be estimated. */
const rowsAtOnce = 2_048;

/** Milliseconds before the next attempt after a failure, or while it is slow. */
const pause = 60_000;

class Each implements EachRead {
  /** Set after a failure, which is not reported: the reads then run one by one, and report their own failures. */
  private pausedUntil = 0;
  /** The estimated rows of an element; a high number before the first result. */
  private rows = 64;
  /** The number of elements of a statement, on average. */
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
    // Inside a transaction, a failure would undo earlier statements.
    if (call.transaction !== undefined) return undefined;
    const count = this.all.countOf(Math.min(this.size(), elements.length - from));
    const rows = count < few ? undefined : valuesOfAll(elements.slice(from, from + count), valuesOf);
    const read = rows && this.all.start(call, rows);
    return read && this.found(call, count, read);
  }

  /** How many elements may be read in one query now. */
  private size(): number {
    const { one, all } = this;
    const now = performance.now();
    if (one.latency.isUnknown || now < this.pausedUntil) return 0;
    // Occasionally one run shows whether it has become quick again.
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

/** Whether its results are no longer needed, which is not a failure of the statement. */
function isOver(call: Call): boolean {
  try {
    call.proceed();
    return false;
  } catch {
    return true;
  }
}

/** The values of each element. Undefined if those of an element are invalid, which its own read reports. */
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

/** Whether the value has the same meaning in a list. */
function isPlain(value: PassedValue): boolean {
  return value === undefined || value === null || typeof value === 'string' || typeof value === 'number';
}

function plain(value: PassedValue): Json {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
