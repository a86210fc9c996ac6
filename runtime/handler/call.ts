/** The call that a handler serves: its parameters, body and deadline, and whether it has changed data. It uses no web framework. */
import type { Json, JsonObject } from './json.js';
import { ServiceError } from './reply.js';

/** One run of an operation, whether a request, a timer or a reference call started it. */
export interface Call {
  /** The parameter of that name, from the first of: reference call, path, query, form field, header. Null if it is missing. */
  param(name: string): Json;
  /**
   * The header of the request, by its name in any letter case; repeated headers are joined with commas. Null if the header is missing, or
   * the call has no request.
   */
  header(name: string): string | null;
  /** The parameter of the query; a list if it is repeated. Null if it is missing. */
  query(name: string): Json;
  /** The cookie of the request; the first one if it is repeated. Null if it is missing. */
  cookie(name: string): string | null;
  /** The caller, identified by the credentials alone; null without a login, or without a request. */
  readonly caller: JsonObject | null;
  /** Whether the value of the parameter is typed: the API description declares it, or a reference call passes it. */
  isDeclared?(name: string): boolean;
  /** The JSON body that a reference call passes, otherwise that of the request; null if it is missing. */
  readonly body: Json;
  /** The uploaded file of that part (MULTIPART_FILE); null if it is missing. */
  file(part: string): UploadedFile | null;
  /** The deadline of the whole call, in milliseconds of `performance.now()`; Infinity without a limit. */
  readonly deadline: number;
  /** The outermost call, which a request or a timer started, if this call is a reference call. */
  readonly root?: Call;
  /** The depth of reference calls; undefined is 0. */
  readonly depth?: number;
  /** Whether user code reads the reply: its body is then a value and not serialized JSON. */
  readonly isReadHere?: boolean;
  /** The transaction of the statements of this call and of the operations that it calls. */
  readonly transaction?: object | undefined;
  /** Whether READs may use a replica, whose rows can be slightly old: true for GET and HEAD requests, until they change something. */
  mayLag?: boolean;
  /** The id by which the response and the log name the request; undefined if a timer runs the operation. */
  readonly requestId?: string | undefined;
  /** Counts bytes that are held until the call ends. Throws a ServiceError (503) if all calls together hold too much. */
  hold?(bytes: number): void;
  /** The same for copies outside the heap, which do not count against the share of the heap. */
  holdCopies?(bytes: number): void;
  /**
   * Throws if the call should end: the client has disconnected, or the deadline has passed. A caller that knows `performance.now()` passes
   * it as `now`.
   */
  proceed(now?: number): void;
}

/** A call with the request types of the API description, against which the request has been validated. */
export type CallOf<Request extends { readonly params?: object; readonly body?: Json }> = {
  param<Name extends keyof Request['params']>(name: Name): Request['params'][Name];
  readonly body: Request extends { readonly body: infer Body } ? Body : Json;
} & Omit<Call, 'body'>;

const changed = new WeakSet<Call>();

/** Records a change that stays even if the rest of the call fails: in a database, or in another system. */
export function noteChange(call: Call): void {
  changed.add(call.root ?? call);
  staysCurrent(call);
}

/** Whether a change of the call stays even if the rest of it fails. */
export function hasChanged(call: Call): boolean {
  return changed.has(call.root ?? call);
}

/** Keeps the call current: from now on it does not read anything older than its earlier reads and writes. */
export function staysCurrent(call: Call): void {
  const outermost = call.root ?? call;
  if (outermost.mayLag === true) outermost.mayLag = false;
}

/**
 * The error that ends the call. If an earlier step has changed something, `Retry-After` is removed, because a retry would repeat the
 * change.
 */
export function afterChanges(call: Call, error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.details.retryAfter === undefined) return error;
  if (!hasChanged(call)) return error;
  const { log, cause } = error.details;
  return new ServiceError(500, 'Only a part of the change is certain to have been made', { log, cause });
}

export class UploadedFile {
  /**
   * `name` is the client's file name without folders, `type` the media type. `chunks` are the bytes in order; they are never joined to one
   * buffer.
   */
  constructor(
    readonly name: string,
    readonly type: string,
    readonly chunks: readonly Buffer[],
  ) {}

  /** Bytes. */
  get size(): number {
    return this.chunks.reduce((sum, { length }) => sum + length, 0);
  }
}
