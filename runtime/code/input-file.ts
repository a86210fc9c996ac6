/** Uploaded files in the input of user functions. */
import type { Call, UploadedFile } from '../handler/call.js';
import { uncounted } from '../handler/memory.js';

/** An uploaded file, as a user function receives it. */
export interface InputFile {
  /** The file name sent by the client, without folders. */
  readonly name: string;
  /** The media type sent by the client, without parameters. */
  readonly type: string;
  /** The number of bytes. */
  readonly size: number;
  /** A copy of the bytes that the function may change. */
  readonly bytes: Buffer;
}

/** For each file: the copies that functions are using, and the copies counted as memory of the call. */
const copies = new WeakMap<UploadedFile, { used: number; counted: number }>();

/** The copies made for one run of a function. */
export class FileCopies {
  readonly #files: UploadedFile[] = [];

  constructor(private readonly call: Call) {}

  /**
   * Copies a file. A loop reuses the memory of copies whose functions have ended, so only copies used at the same time are counted.
   * Throws a ServiceError 503 if there is not enough memory.
   */
  copy(file: UploadedFile): InputFile {
    const { name, type, size } = file;
    const count = copies.get(file) ?? { used: 0, counted: 0 };
    copies.set(file, count);
    if (count.used === count.counted) {
      if (size >= uncounted) (this.call.root ?? this.call).holdCopies?.(size);
      count.counted += 1;
    }
    count.used += 1;
    this.#files.push(file);
    return Object.freeze({ name, type, size, bytes: file.bytes });
  }

  /** Ends the use of the copies, when the function has ended. */
  release(): void {
    for (const file of this.#files) {
      const count = copies.get(file);
      if (count !== undefined) count.used -= 1;
    }
    this.#files.length = 0;
  }
}
