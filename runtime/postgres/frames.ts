/**
 * Splits bytes from the server into messages. Messages that a query reads as bytes bypass the driver, which would create strings,
 * objects and events.
 */

/** Reads result messages as bytes. */
export interface ResultReader {
  /** Receives the columns of a row, starting with their count; returns false if the driver must read the row. Never fails. */
  takeRow(bytes: Buffer, from: number, to: number): boolean;
  /** The values of a statement have been bound. */
  handleBindComplete(): void;
  /** A statement has completed. */
  handleCommandComplete(): void;
}

/** Bytes of the message header: a one-byte type and the length of the rest. */
const headLength = 5;
const dataRow = 0x44;
const bindComplete = 0x32;
const commandComplete = 0x43;

/** Splits a stream of chunks. Pass every chunk, because messages can span several chunks. */
export class Frames {
  /** Number of active queries that read bytes; at zero, chunks are passed on unchanged. */
  readers = 0;
  /** Remaining bytes of a message cut off by the last chunk. */
  private missing = 0;
  /** The start of a message whose length is unknown. */
  private readonly head = Buffer.alloc(headLength);
  private known = 0;
  /** Whether an invalid length was found, which the driver then reports. */
  private isLost = false;
  /** The number of bytes in the chunk already passed to the driver or a reader. */
  private passed = 0;

  /** `pass` sends bytes to the driver. `reader` returns the query that reads the arriving result as bytes, if any. */
  constructor(
    private readonly pass: (bytes: Buffer) => void,
    private readonly reader: () => ResultReader | undefined,
  ) {}

  /** Processes a chunk. Throws the errors of `pass`. */
  read(chunk: Buffer): void {
    this.passed = 0;
    const at = this.isLost ? chunk.length : this.readWhole(chunk, this.endOfCut(chunk));
    if (!this.isLost) {
      this.cut(chunk, at);
      this.passTo(chunk, Math.min(at, chunk.length));
    }
    // Copied, because the driver keeps the start of an incomplete message, and the memory is reused for the next chunk.
    if (this.passed < chunk.length) this.pass(Buffer.from(chunk.subarray(this.passed)));
  }

  /** Passes complete messages to their reader, and bytes before them to the driver. Returns the offset of the first incomplete message. */
  private readWhole(chunk: Buffer, from: number): number {
    let at = from;
    let reader: ResultReader | undefined;
    /** Whether `reader` is current: messages that it does not read may begin or end a result. */
    let isKnown = false;
    while (at + headLength <= chunk.length) {
      const length = chunk.readInt32BE(at + 1);
      const end = at + 1 + length;
      if (!isPossible(length)) this.isLost = true;
      if (this.isLost || end > chunk.length) break;
      const type = chunk[at];
      if (type !== dataRow && type !== bindComplete && type !== commandComplete) isKnown = false;
      else if (this.readers > 0) {
        if (!isKnown) {
          this.passTo(chunk, at);
          reader = this.reader();
          isKnown = true;
        }
        if (reader !== undefined) {
          this.passTo(chunk, at);
          if (isTaken(reader, type, chunk, at + headLength, end)) this.passed = end;
        }
      }
      at = end;
    }
    return at;
  }

  /** Passes all unprocessed bytes before the offset to the driver. */
  private passTo(chunk: Buffer, at: number): void {
    if (this.passed >= at) return;
    this.pass(chunk.subarray(this.passed, at));
    this.passed = at;
  }

  /** The end of a message that began in an earlier chunk: 0 without such a message, at least the chunk length if the message continues. */
  private endOfCut(chunk: Buffer): number {
    let at = 0;
    if (this.known > 0) {
      at = chunk.copy(this.head, this.known);
      this.known += at;
      if (this.known < headLength) return chunk.length;
      const length = this.head.readInt32BE(1);
      this.known = 0;
      this.isLost = !isPossible(length);
      if (this.isLost) return chunk.length;
      this.missing = 1 + length - headLength;
    }
    const end = at + this.missing;
    this.missing = Math.max(0, end - chunk.length);
    return Math.min(end, chunk.length);
  }

  /** Records the remaining bytes of the message at the end of the chunk. */
  private cut(chunk: Buffer, at: number): void {
    if (at >= chunk.length) return;
    if (at + headLength <= chunk.length) this.missing = at + 1 + chunk.readInt32BE(at + 1) - chunk.length;
    else this.known = chunk.copy(this.head, 0, at);
  }
}

function isTaken(reader: ResultReader, type: number, chunk: Buffer, from: number, end: number): boolean {
  if (type === dataRow) return reader.takeRow(chunk, from, end);
  if (type === bindComplete) reader.handleBindComplete();
  else reader.handleCommandComplete();
  return true;
}

/** The length includes its own four bytes. */
function isPossible(length: number): boolean {
  return length >= 4;
}
