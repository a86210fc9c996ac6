/**
 * Splits the server's bytes into messages. Result messages that a query reads as bytes are kept from the driver, which would make strings,
 * objects and events of them.
 */

/** Reads messages of a result as bytes. */
export interface ResultReader {
  /** Receives the columns of a row, starting with their number; returns false if the driver must read it. Never fails. */
  takeRow(bytes: Buffer, from: number, to: number): boolean;
  /** The values of a statement are bound. */
  handleBindComplete(): void;
  /** A statement has run to its end. */
  handleCommandComplete(): void;
}

/** A type of one byte, and the length of the rest. */
const headLength = 5;
const dataRow = 0x44;
const bindComplete = 0x32;
const commandComplete = 0x43;

/** Every chunk has to go through it: a message may begin in one and end in another. */
export class Frames {
  /** How many queries that read bytes are under way: without any, chunks are passed on as they are. */
  readers = 0;
  /** Bytes that are missing of the message that the last chunk has cut. */
  private missing = 0;
  /** The beginning of a message whose length is not yet known. */
  private readonly head = Buffer.alloc(headLength);
  private known = 0;
  /** Whether a length was impossible. The driver then reports the error. */
  private isLost = false;
  /** How much of the chunk has been given to the driver or to a reader. */
  private passed = 0;

  /** `pass` gives bytes to the driver. `reader` returns the query whose result is arriving, if it reads bytes. */
  constructor(
    private readonly pass: (bytes: Buffer) => void,
    private readonly reader: () => ResultReader | undefined,
  ) {}

  /** Throws the errors of `pass`. */
  read(chunk: Buffer): void {
    this.passed = 0;
    const at = this.isLost ? chunk.length : this.readWhole(chunk, this.endOfCut(chunk));
    if (!this.isLost) {
      this.cut(chunk, at);
      this.passTo(chunk, Math.min(at, chunk.length));
    }
    // The driver keeps the beginning of a message until its end, and the next chunk has the same memory.
    if (this.passed < chunk.length) this.pass(Buffer.from(chunk.subarray(this.passed)));
  }

  /**
   * Gives messages that are complete in the chunk to their reader, and bytes before them to the driver. Returns the offset of the first
   * incomplete message.
   */
  private readWhole(chunk: Buffer, from: number): number {
    let at = from;
    let reader: ResultReader | undefined;
    /** Whether `reader` is still current: messages that it does not read may begin or end a result. */
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

  /** Gives the driver all bytes before the offset that nobody has received. */
  private passTo(chunk: Buffer, at: number): void {
    if (this.passed >= at) return;
    this.pass(chunk.subarray(this.passed, at));
    this.passed = at;
  }

  /** The end of a message that began in an earlier chunk; 0 without one; at least the length of the chunk if the message continues. */
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

  /** Remembers how many bytes are missing from the message at the end of the chunk. */
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

/** The length counts itself. */
function isPossible(length: number): boolean {
  return length >= 4;
}
