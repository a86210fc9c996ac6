/** The parts of a multipart request. */
import type { IncomingMessage } from 'node:http';
import type { Json } from '../handler/json.js';
import type { UploadedFile } from '../handler/uploaded-file.js';

export interface Form {
  /** A text, or an array of texts where a name is there more than once. */
  readonly texts: ReadonlyMap<string, Json>;
  readonly files: ReadonlyMap<string, UploadedFile>;
  /** Gives back the memory that the files took; they must not be read any more. */
  release(): void;
}

/** How large an upload may be (decisions 9.6). */
export interface FormLimits {
  /** Bytes of a text part. */
  readonly bodyLimit: number;
  /** Bytes of one file. */
  readonly fileLimit: number;
  /** Texts and files of one request. */
  readonly partLimit: number;
  /** Bytes that all uploads of the process together may take. */
  readonly uploadMemory: number;
}

/**
 * Reads the parts. `accept` is called when nothing speaks against reading them, as in `readJsonBody`.
 * Throws a ServiceError: 400, 413, 415, 503.
 */
export type FormReader = (request: IncomingMessage, limits: FormLimits, accept: () => void) => Promise<Form>;

/** Whether a request says that its body is a form of parts. */
export function isMultipart({ headers }: IncomingMessage): boolean {
  return /^\s*multipart\//i.test(headers['content-type'] ?? '');
}
