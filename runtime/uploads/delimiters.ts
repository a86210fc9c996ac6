/** Finds the delimiters between the parts of a multipart body, because the parser does not report parts that it skips. */

/** A parameter of a content type: its name, and its value in quotes or without. */
const parameter = /;\s*([^=;\s"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;

/** The boundary of a multipart content type; undefined if it is missing. */
export function boundaryIn(contentType: string): string | undefined {
  for (const [, name = '', quoted, plain] of contentType.matchAll(parameter))
    if (name.toLowerCase() === 'boundary') return quoted?.replaceAll(/\\(["\\])/g, '$1') ?? plain;
  return undefined;
}

const dash = 0x2d;

/** Counts the parts of a body by the delimiters before them. */
export class Delimiters {
  parts = 0;
  #isClosed = false;
  readonly #delimiter: Buffer;
  /** The last bytes so far, which may be the beginning of a delimiter. The first delimiter has no line break before it, so one is added. */
  #rest = Buffer.from('\r\n');

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  add(chunk: Buffer): void {
    // Only the beginning of the chunk is copied; the rest is read in place.
    const near = Math.min(chunk.length, this.#delimiter.length + 2);
    this.#count(Buffer.concat([this.#rest, chunk.subarray(0, near)]));
    if (near < chunk.length) this.#count(chunk.subarray(near - this.#rest.length));
  }

  /** Reads bytes that begin with the rest. */
  #count(bytes: Buffer): void {
    if (this.#isClosed) return;
    const { length } = this.#delimiter;
    let end = 0;
    for (;;) {
      const at = bytes.indexOf(this.#delimiter, end);
      // Two dashes after the delimiter close the form. Later bytes do not belong to a part.
      if (at === -1 || at + length + 2 > bytes.length) break;
      end = at + length;
      this.#isClosed = bytes[end] === dash && bytes[end + 1] === dash;
      if (this.#isClosed) return;
      this.parts += 1;
    }
    this.#rest = Buffer.from(bytes.subarray(Math.max(end, bytes.length - length - 1)));
  }
}
