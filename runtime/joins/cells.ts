/** Results that only the join of a JSON response reads: their values become its bytes while they arrive. */
import { afterChanges, type Call } from '../handler/call.js';
import { tooLarge } from '../handler/json-text.js';
import { uncounted } from '../handler/memory.js';
import type { Row } from '../handler/json.js';
import type { Statement } from '../sql/statement.js';
import { startRead, type StartedRead } from '../sql/reads-ahead.js';
import type { PassedValue } from '../sql/sql-template.js';
import { RowCells } from './row-cells.js';

/** The rows of a result for `joinCells`. */
export class Cells<Entry extends Row = Row> {
  #rows: readonly Entry[] | undefined;

  /** Either the bytes of their values, or the rows: where they had to be decoded, or are traced. */
  constructor(private readonly content: RowCells | readonly Entry[]) {}

  /** Undefined where there are only rows. */
  get bytes(): RowCells | undefined {
    return this.content instanceof RowCells ? this.content : undefined;
  }

  get rows(): readonly Entry[] {
    const { content } = this;
    this.#rows ??=
      content instanceof RowCells
        ? Array.from({ length: content.length }, (_, row) => content.rowAt(row) as Entry)
        : content;
    return this.#rows;
  }
}

/** As `startRead`, for `joinCells`. */
export function startCells<Entry extends Row>(
  statement: Statement<Entry>,
  call: Call,
  values?: readonly PassedValue[],
): PromiseLike<Cells<Entry>>;
export function startCells(
  statement: Statement,
  call: Call,
  values: readonly PassedValue[] = [],
): PromiseLike<Cells> {
  let sink: RowCells | undefined;
  const read = isDecoded(statement, call)
    ? startRead(statement, call, values)
    : startRead(statement, call, values, () => (sink = new RowCells()));
  return new StartedCells(read, (rows) => cellsOf(call, rows, sink));
}

class StartedCells implements PromiseLike<Cells> {
  constructor(
    private readonly read: StartedRead,
    private readonly cellsOf: (rows: Row[]) => Cells,
  ) {}

  then<Result = Cells, Failed = never>(
    onCells?: ((cells: Cells) => Result | PromiseLike<Result>) | null,
    onError?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): PromiseLike<Result | Failed> {
    return this.read.then(this.cellsOf).then(onCells, onError);
  }
}

/** Runs the statement, and returns its rows for `joinCells`. Throws a ServiceError, as the statement does. */
export async function readCells<Entry extends Row>(
  statement: Statement<Entry>,
  call: Call,
  values?: readonly PassedValue[],
): Promise<Cells<Entry>>;
export async function readCells(
  statement: Statement,
  call: Call,
  values: readonly PassedValue[] = [],
): Promise<Cells> {
  if (isDecoded(statement, call)) return new Cells(await statement(call, values));
  let sink: RowCells | undefined;
  const rows = await statement.runner.run(call, values, () => (sink = new RowCells()));
  return cellsOf(call, rows, sink);
}

function isDecoded({ traceRows }: Statement, call: Call): boolean {
  return traceRows !== undefined || call.isReadHere === true;
}

/** Throws a ServiceError: 500 for too much JSON, 503 if the process holds too much already. */
function cellsOf(call: Call, rows: readonly Row[], sink: RowCells | undefined): Cells {
  if (rows.length > 0 || sink === undefined) return new Cells(rows);
  try {
    if (sink.isTooLarge) throw tooLarge();
    const { bytes } = sink;
    sink.finish();
    if (bytes >= uncounted) (call.root ?? call).hold?.(bytes);
    return new Cells(sink);
  } catch (error) {
    throw afterChanges(call, error);
  }
}
