/** Rows that have arrived and have not been read, as objects or as lines of JSON. */
import type { Row } from '../handler/json.js';
import { code } from '../sql/row-format.js';
import type { RowSink } from '../sql/driver.js';
import { release } from './json-pieces.js';
import { RowBytes } from './row-bytes.js';

/** A buffer of arrived rows. Each part is a row, or a piece of the lines. */
export interface ArrivedRows<Part> {
  /** Number of unread rows. */
  readonly waiting: number;
  /** Adds a row decoded by the driver. */
  push(row: Row): void;
  /** Receives rows in the format of the server, and calls `arrived` after each row. */
  sinkOf?(arrived: () => void): RowSink;
  takeAll(): readonly Part[];
  /** Discards unread rows and rows that arrive later. */
  stop(): void;
}

/** Rows as objects. */
export class RowList implements ArrivedRows<Row> {
  private rows: Row[] = [];
  private isStopped = false;

  get waiting(): number {
    return this.rows.length;
  }

  push(row: Row): void {
    if (!this.isStopped) this.rows.push(row);
  }

  takeAll(): readonly Row[] {
    const { rows } = this;
    this.rows = [];
    return rows;
  }

  stop(): void {
    this.isStopped = true;
    this.rows = [];
  }
}

/** Rows as lines of JSON. */
export class JsonLines extends RowBytes implements ArrivedRows<Buffer> {
  /** Unlimited, because the lines are sent in pieces: the limit for JSON in memory does not apply. */
  protected override readonly limit = Infinity;
  waiting = 0;
  /** Whether a row could not be read. Its beginning may have been written, but later rows are not. */
  private isBroken = false;
  private isStopped = false;

  constructor() {
    super(undefined, 'lines');
  }

  push(row: Row): void {
    if (this.isBroken || this.isStopped) return;
    this.writeText(`${JSON.stringify(row)}\n`);
    this.waiting += 1;
  }

  sinkOf(arrived: () => void): RowSink {
    const write = (one: () => boolean): boolean => {
      if (this.isBroken || this.isStopped) return true;
      try {
        if (!one()) return false;
      } catch (error) {
        this.isBroken = true;
        throw error;
      }
      this.waiting += 1;
      arrived();
      return true;
    };
    return {
      begin: (format) => {
        this.begin(format);
      },
      take: (bytes, from, to) => write(() => this.take(bytes, from, to)),
      takeValues: (values, orderedAt) => {
        write(() => {
          this.takeValues(values, orderedAt);
          return true;
        });
      },
    };
  }

  takeAll(): readonly Buffer[] {
    this.waiting = 0;
    const pieces = this.takePieces();
    return this.isBroken ? wholeLines(pieces) : pieces;
  }

  stop(): void {
    this.isStopped = true;
    this.waiting = 0;
    release(this.takePieces());
  }
}

/** Removes the bytes after the last line. The JSON of a row does not contain line breaks. */
function wholeLines(pieces: readonly Buffer[]): readonly Buffer[] {
  const last = pieces.findLastIndex((piece) => piece.includes(code.newline));
  return pieces.flatMap((piece, index) =>
    index < last ? [piece] : index === last ? [piece.subarray(0, piece.lastIndexOf(code.newline) + 1)] : [],
  );
}
