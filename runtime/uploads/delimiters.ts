/** Finds the delimiters between the parts of a multipart body, because the parser does not report skipped parts. */

/** A content type parameter: its name, and its quoted or unquoted value. */
const parameter = /;\s*([^=;\s"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;

/** The boundary of a multipart content type; undefined if missing. */
export function boundaryIn(contentType: string): string | undefined {
  for (const [, name = '', quoted, plain] of contentType.matchAll(parameter))
    if (name.toLowerCase() === 'boundary') return quoted?.replaceAll(/\\(["\\])/g, '$1') ?? plain;
  return undefined;
}

const dash = 0x2d;

/** Counts the parts of a body by the delimiters that precede them. */
export class Delimiters {
  parts = 0;
  #isClosed = false;
  readonly #delimiter: Buffer;
  /**
   * The latest bytes, which may be the start of a delimiter. A line break is added at the beginning, because the first delimiter is not
   * preceded by one.
   */
  #rest = Buffer.from('\r\n');

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  add(chunk: Buffer): void {
    // Only the start of the chunk is copied; the rest is scanned in place.
    const near = Math.min(chunk.length, this.#delimiter.length + 2);
    this.#count(Buffer.concat([this.#rest, chunk.subarray(0, near)]));
    if (near < chunk.length) this.#count(chunk.subarray(near - this.#rest.length));
  }

  /** Scans bytes that begin with the remaining bytes of the previous chunk. */
  #count(bytes: Buffer): void {
    if (this.#isClosed) return;
    const { length } = this.#delimiter;
    let end = 0;
    for (;;) {
      const at = bytes.indexOf(this.#delimiter, end);
      // Two dashes after a delimiter close the form. Later bytes do not belong to a part.
      if (at === -1 || at + length + 2 > bytes.length) break;
      end = at + length;
      this.#isClosed = bytes[end] === dash && bytes[end + 1] === dash;
      if (this.#isClosed) return;
      this.parts += 1;
    }
    this.#rest = Buffer.from(bytes.subarray(Math.max(end, bytes.length - length - 1)));
  }
}
