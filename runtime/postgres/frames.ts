/** The messages in what the server sends: those of its result that a query reads as bytes are kept from the driver, which makes strings, objects and events of them. */

/** Reads messages of a result as bytes. */
export interface ResultReader {
  /** The columns of a row, from their number on; false if the driver shall read it. Never fails. */
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
  /** The beginning of a message whose length is not known yet. */
  private readonly head = Buffer.alloc(headLength);
  private known = 0;
  /** A length is impossible: the driver reports what it makes of it. */
  private isLost = false;

  /** `pass` gives bytes to the driver; `reader` is that of the query whose result is arriving, if it reads bytes. */
  constructor(
    private readonly pass: (bytes: Buffer) => void,
    private readonly reader: () => ResultReader | undefined,
  ) {}

  /** Throws what `pass` throws. */
  read(chunk: Buffer): void {
    let at = this.isLost ? chunk.length : this.endOfCut(chunk);
    let passed = 0;
    let reader: ResultReader | undefined;
    /** Whether `reader` belongs to the message: those that nobody takes may begin or end a result. */
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
          if (passed < at) this.pass(chunk.subarray(passed, at));
          passed = at;
          reader = this.reader();
          isKnown = true;
        }
        if (reader !== undefined) {
          if (passed < at) this.pass(chunk.subarray(passed, at));
          passed = isTaken(reader, type, chunk, at + headLength, end) ? end : at;
        }
      }
      at = end;
    }
    if (!this.isLost) this.cut(chunk, at);
    // The driver keeps the beginning of a message until its end, and the next chunk has the same memory.
    const whole = this.isLost ? 0 : Math.min(at, chunk.length);
    if (passed < whole) this.pass(chunk.subarray(passed, whole));
    const rest = Math.max(passed, whole);
    if (rest < chunk.length) this.pass(Buffer.from(chunk.subarray(rest)));
  }

  /** Where the message ends that an earlier chunk has cut; 0 if there is none, the length of the chunk or more if it goes on. */
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

  /** Remembers what is missing of the message at the end of the chunk. */
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
