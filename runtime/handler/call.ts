/** What a handler knows of the call that it answers: no web framework in it. */
import type { Json } from './json.js';
import type { UploadedFile } from './uploaded-file.js';

/** One run of an operation, whether a request, a timer or a reference call started it. */
export interface Call {
  /** The parameter of that name: given by a reference call, path, query, form field, header (decisions 3.1); null when there is none. */
  param(name: string): Json;
  /** True where the value of the parameter has a type already: the API description declares it, or a reference call gives it. */
  isDeclared?(name: string): boolean;
  /** The JSON body that a reference call gives, else that of the request; null when there is none. */
  readonly body: Json;
  /** The file that the request brought as the part of that name (MULTIPART_FILE); null when there is none. */
  file(part: string): UploadedFile | null;
  /** When the time for the whole call is used up, in milliseconds of `performance.now()`; Infinity where there is no limit. */
  readonly deadline: number;
  /** The call that a request or a timer began, where this one is a part of it. */
  readonly root?: Call;
  /** How many reference calls lie around this one; none when it is left out. */
  readonly depth?: number;
  /** The transaction that the statements of this call belong to (decisions 5.10). */
  readonly transaction?: Transaction | undefined;
  /** Counts bytes that are kept until the call ends. Throws a ServiceError (503) where all calls together keep too much. */
  hold?(bytes: number): void;
  /** Throws when there is no sense in going on: the client has gone away, or the time is used up. */
  proceed(): void;
}

/** What the calls of one transaction share. */
export interface Transaction {
  /** Takes note of a datasource's part, so that it is committed or rolled back with the others. */
  join(part: TransactionPart): void;
}

/** A transaction on one datasource. */
export interface TransactionPart {
  /** The name of the datasource. */
  readonly datasource: string;
  /**
   * Ends it for good, and gives its connection back. Throws a ServiceError when it is not certain that everything is in
   * the database. May take until the deadline (milliseconds of `performance.now()`).
   */
  commit(deadline: number): Promise<void>;
  /** Undoes everything, and gives the connection back; never fails. */
  rollback(): Promise<void>;
}
