/** The bytes of a JSON array, in pieces whose memory is reused after they have been sent. */
import { maxJson } from '../handler/json-text.js';
import type { RowsAsJson } from '../handler/rows-as-json.js';
import { code } from '../sql/row-format.js';

/** Bytes of a piece. A single value can make a piece longer. */
const pieceLength = 64 * 1024;
/** Arrays up to this number of bytes become a string, which is sent together with the headers. */
const small = 32 * 1024;
/** Pieces available for reuse, because garbage collection frees such memory late. */
const spare: Buffer[] = [];
const maxSpare = 160;
/** The memory of pieces created here. Other bytes of a response may be in Node's buffer pool, which is shared by the whole process. */
const own = new WeakSet<ArrayBufferLike>();

/** Recycles the pieces of a result. Call once, when they are no longer read. May include bytes from other sources. */
export function release(pieces: readonly Buffer[]): void {
  for (const buffer of new Set(pieces.map((piece) => piece.buffer)))
    if (own.has(buffer) && spare.length < maxSpare) spare.push(Buffer.from(buffer));
}

function newPiece(length: number): Buffer {
  const piece = Buffer.allocUnsafeSlow(Math.max(pieceLength, length));
  if (piece.length === pieceLength) own.add(piece.buffer);
  return piece;
}

/** A buffer for JSON that is being written. */
export class JsonPieces {
  /** The position of the next byte in the piece returned by `room`. */
  protected at = 0;
  private piece: Buffer | undefined;
  private readonly full: Buffer[] = [];
  private fullBytes = 0;
  /** Maximum number of bytes. */
  protected readonly limit: number = maxJson;
  /** Whether the limit was exceeded. */
  isTooLarge = false;

  /** Returns all pieces written since the last call. */
  protected takePieces(): readonly Buffer[] {
    const { full, piece, at } = this;
    const pieces =
      piece === undefined || at === 0 ? full.splice(0) : [...full.splice(0), piece.subarray(0, at)];
    this.at = this.fullBytes = 0;
    this.piece = undefined;
    return pieces;
  }

  /** Completes and returns the JSON array. Nothing can be written afterwards. */
  protected finishList(): RowsAsJson {
    const { full } = this;
    const piece = this.room(1);
    piece[this.at] = code.closeList;
    this.at += 1;
    this.piece = undefined;
    if (full.length === 0 && this.at <= small) {
      const text = piece.toString('utf8', 0, this.at);
      if (piece.length === pieceLength && spare.length < maxSpare) spare.push(piece);
      return text;
    }
    return [...full, piece.subarray(0, this.at)];
  }

  protected writeText(text: string): void {
    const bytes = text.length < 4096 ? text.length * 3 : Buffer.byteLength(text);
    const piece = this.room(bytes);
    this.at += piece.write(text, this.at);
  }

  /** A piece with space for this number of bytes after the bytes already written. */
  protected room(bytes: number): Buffer {
    const { piece, at } = this;
    if (piece !== undefined && at + bytes <= piece.length) return piece;
    const next = (bytes <= pieceLength ? spare.pop() : undefined) ?? newPiece(bytes);
    if (piece !== undefined) this.keep(piece.subarray(0, at));
    this.at = 0;
    this.piece = next;
    return next;
  }

  /** Discards bytes over the limit; the reply reports the error. */
  private keep(piece: Buffer): void {
    this.fullBytes += piece.length;
    if (this.fullBytes > this.limit) {
      this.isTooLarge = true;
      this.full.length = 0;
    } else this.full.push(piece);
  }
}
