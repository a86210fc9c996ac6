/** The call that a handler serves: its parameters, body and deadline, and whether it has changed data. It uses no web framework. */
import type { Json } from './json.js';
import { ServiceError } from './reply.js';

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
  /** The transaction that the statements of this call belong to (decisions 5.10), which datasources know. */
  readonly transaction?: object | undefined;
  /** Counts bytes that are kept until the call ends. Throws a ServiceError (503) where all calls together keep too much. */
  hold?(bytes: number): void;
  /** Throws when there is no sense in going on: the client has gone away, or the time is used up. */
  proceed(): void;
}

/** A call whose request has types: those of the API description, which it has been checked against. */
export type CallOf<Request extends { readonly params?: object; readonly body?: Json }> = {
  param<Name extends keyof Request['params']>(name: Name): Request['params'][Name];
  readonly body: Request extends { readonly body: infer Body } ? Body : Json;
} & Omit<Call, 'body'>;

const changed = new WeakSet<Call>();

/** Takes note of a change that stays, whatever becomes of the rest of the call: in a database, or in another system. */
export function noteChange(call: Call): void {
  changed.add(call.root ?? call);
}

/**
 * The error that ends the call. One that says `Retry-After`, because its own step has done nothing, does not where an earlier step
 * has: another try would do that step twice.
 */
export function afterChanges(call: Call, error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.details.retryAfter === undefined) return error;
  if (!changed.has(call.root ?? call)) return error;
  const { log, cause } = error.details;
  return new ServiceError(500, 'Only a part of the change is certain to have been made', {
    ...(log === undefined ? {} : { log }),
    cause,
  });
}

export class UploadedFile {
  /**
   * `name` as the client gave it, without folders; `type` is its media type; `chunks` are its bytes in the order in which
   * they came, so that no copy of the whole is ever made.
   */
  constructor(
    readonly name: string,
    readonly type: string,
    readonly chunks: readonly Buffer[],
  ) {}
}
