/** The call of a handler: parameters, body, deadline, and whether data has been changed. Independent of web frameworks. */
import type { Json, JsonObject } from './json.js';
import { ServiceError } from './reply.js';

/** One run of an operation, started by a request, a timer or a reference call. */
export interface Call {
  /** The named parameter, from the first match of: reference call, path, query, form field, header. Null if missing. */
  param(name: string): Json;
  /**
   * The named request header, in any letter case; repeated headers are joined with commas. Null if the header is missing, or without a
   * request.
   */
  header(name: string): string | null;
  /** The named query parameter; a list if repeated. Null if missing. */
  query(name: string): Json;
  /** All query parameters by name, in the order of the request; undefined without a request. Throws a ServiceError 400 for invalid brackets. */
  queries?(): ReadonlyMap<string, Json>;
  /** The named request cookie; the first one if repeated. Null if missing. */
  cookie(name: string): string | null;
  /** The caller, as identified by the credentials; null without a login or without a request. */
  readonly caller: JsonObject | null;
  /** The URL of the request of the outermost call; undefined without a request. */
  readonly url?: RequestUrl | undefined;
  /** The address of the client of the outermost call; null or undefined without a request. */
  readonly address?: string | null;
  /** Whether the parameter value is typed: declared by the API description, or passed by a reference call. */
  isDeclared?(name: string): boolean;
  /** The JSON body passed by a reference call, otherwise the body of the request; null if missing. */
  readonly body: Json;
  /** The uploaded file in the named part (MULTIPART_FILE); null if missing. */
  file(part: string): UploadedFile | null;
  /** The uploaded files in all parts of this name, in order, if the operation accepts several (`readFormWith`). */
  files(part: string): UploadedFile[];
  /** The deadline of the whole call, in milliseconds of `performance.now()`; Infinity if unlimited. */
  readonly deadline: number;
  /** For reference calls, the outermost call, started by a request or a timer. */
  readonly root?: Call;
  /** The nesting depth of reference calls; undefined means 0. */
  readonly depth?: number;
  /** Whether user code reads the reply: the body is then a value instead of serialized JSON. */
  readonly isReadHere?: boolean;
  /** The transaction shared by this call and the operations that it calls. */
  readonly transaction?: object | undefined;
  /** Whether READs may use a replica, whose data can be slightly outdated: true for GET and HEAD requests, until they change data. */
  mayLag?: boolean;
  /** The request id in responses and logs; undefined for timed operations. */
  readonly requestId?: string | undefined;
  /** Counts bytes that are held until the call ends. Throws a ServiceError 503 if all calls together hold too much memory. */
  hold?(bytes: number): void;
  /** Like `hold`, for copies outside the heap, which do not count against the heap limit. */
  holdCopies?(bytes: number): void;
  /** Aborted when the result of a request of this call is no longer needed; undefined if only the end of the call can end it. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Calls the function when the client disconnects before it has its response. The returned function ends that. Undefined if nobody waits.
   */
  onDisconnect?(run: () => void): () => void;
  /**
   * Checks whether the call may continue. Throws if the client has disconnected or the deadline has passed. `now` is the current
   * `performance.now()`, if known.
   */
  proceed(now?: number): void;
}

/** The URL of a request, without its origin. */
export interface RequestUrl {
  /** The normalized path, percent-encoded; it begins with exactly one `/`. */
  readonly path: string;
  /** The decoded names and values of the query parameters, in order. */
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** A call with the request types of the API description, after validation. */
export type CallOf<Request extends { readonly params?: object; readonly body?: Json }> = {
  param<Name extends keyof Request['params']>(name: Name): Request['params'][Name];
  readonly body: Request extends { readonly body: infer Body } ? Body : Json;
} & Omit<Call, 'body'>;

const changed = new WeakSet<Call>();

/** Records a change, in a database or another system, that persists even if the rest of the call fails. */
export function noteChange(call: Call): void {
  changed.add(call.root ?? call);
  staysCurrent(call);
}

/** Whether a change persists even if the rest of the call fails. */
export function hasChanged(call: Call): boolean {
  return changed.has(call.root ?? call);
}

/** Stops reading from replicas, so that later reads are not older than the earlier reads and writes of the call. */
export function staysCurrent(call: Call): void {
  const outermost = call.root ?? call;
  if (outermost.mayLag === true) outermost.mayLag = false;
}

/** The error that ends the call. After a change, `Retry-After` is removed, because a retry would repeat the change. */
export function afterChanges(call: Call, error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.details.retryAfter === undefined) return error;
  if (!hasChanged(call)) return error;
  const { log, cause } = error.details;
  return new ServiceError(500, 'Only a part of the change is certain to have been made', { log, cause });
}

export class UploadedFile {
  /**
   * `name` is the file name sent by the client, without folders; `type` is the media type. `chunks` are the bytes in order; they are
   * never joined into one buffer.
   */
  constructor(
    readonly name: string,
    readonly type: string,
    readonly chunks: readonly Buffer[],
  ) {}

  /** The size in bytes. */
  get size(): number {
    return this.chunks.reduce((sum, { length }) => sum + length, 0);
  }

  /** A new copy of the bytes, whose memory is not shared with other buffers. */
  get bytes(): Buffer {
    const copy = Buffer.alloc(this.size);
    let at = 0;
    for (const chunk of this.chunks) at += chunk.copy(copy, at);
    return copy;
  }
}
