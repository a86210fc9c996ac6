/** The bytes of a JSON array in pieces, whose memory is reused after they have been sent. */
import { maxJson } from '../handler/json-text.js';
import type { RowsAsJson } from '../handler/rows-as-json.js';
import { code } from '../sql/row-format.js';

/** Bytes of a piece, unless something in it has more. */
const pieceLength = 64 * 1024;
/** An array of at most that many bytes is one string, which is sent together with the headers. */
const small = 32 * 1024;
/** Pieces that are no longer read, for reuse: garbage collection frees such memory late. */
const spare: Buffer[] = [];
const maxSpare = 160;
/** The memory of pieces created here. Other bytes of a response may be in Node's pool, which the whole process writes to. */
const own = new WeakSet<ArrayBufferLike>();

/** Call it once for the pieces of a result when they are no longer read. They may include bytes from elsewhere. */
export function release(pieces: readonly Buffer[]): void {
  for (const buffer of new Set(pieces.map((piece) => piece.buffer)))
    if (own.has(buffer) && spare.length < maxSpare) spare.push(Buffer.from(buffer));
}

function newPiece(length: number): Buffer {
  const piece = Buffer.allocUnsafeSlow(Math.max(pieceLength, length));
  if (piece.length === pieceLength) own.add(piece.buffer);
  return piece;
}

/** Bytes of JSON that are being written. */
export class JsonPieces {
  /** The position of the next byte in the piece that `room` returned. */
  protected at = 0;
  private piece: Buffer | undefined;
  private readonly full: Buffer[] = [];
  private fullBytes = 0;
  /** Bytes that may be kept. */
  protected readonly limit: number = maxJson;
  /** Whether the limit was exceeded. */
  isTooLarge = false;

  /** Everything written since the last call. */
  protected takePieces(): readonly Buffer[] {
    const { full, piece, at } = this;
    const pieces =
      piece === undefined || at === 0 ? full.splice(0) : [...full.splice(0), piece.subarray(0, at)];
    this.at = this.fullBytes = 0;
    this.piece = undefined;
    return pieces;
  }

  /** Ends and returns the JSON array. Nothing can be written after that. */
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

  /** A piece with room for this number of bytes after those already written. */
  protected room(bytes: number): Buffer {
    const { piece, at } = this;
    if (piece !== undefined && at + bytes <= piece.length) return piece;
    const next = (bytes <= pieceLength ? spare.pop() : undefined) ?? newPiece(bytes);
    if (piece !== undefined) this.keep(piece.subarray(0, at));
    this.at = 0;
    this.piece = next;
    return next;
  }

  /** Bytes over the limit are discarded: the reply reports the error. */
  private keep(piece: Buffer): void {
    this.fullBytes += piece.length;
    if (this.fullBytes > this.limit) {
      this.isTooLarge = true;
      this.full.length = 0;
    } else this.full.push(piece);
  }
}
