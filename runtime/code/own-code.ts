/** User functions in `src/code` that operations call. */
import { noteChange, type Call } from '../handler/call.js';
import type { Json, JsonObject } from '../handler/json.js';
import { uncounted } from '../handler/memory.js';
import { ServiceError } from '../handler/reply.js';
import { describeError, type Log } from '../server/log.js';
import { ValidationErrors } from '../validate/validation-errors.js';
import { ValuePath } from '../validate/value-path.js';
import type { Schema } from '../validate/schema.js';
import { copyOf, NotJson } from './copy-json.js';
import { FileCopies, type InputFile } from './input-file.js';
import { endOf, type CodeSite } from './thrown.js';
import { untilEnd } from './until-end.js';

/** The second argument of a user function. */
export interface OwnContext<Source extends OwnDatabases = OwnDatabases> {
  /** The caller, as identified by the credentials; null without a login, and for timed operations. */
  readonly caller: JsonObject | null;
  /** Aborted if the call ends before the function, because its deadline has passed or its client has disconnected. */
  readonly signal: AbortSignal;
  /** The log of the service; each entry includes the function name and the request id. */
  readonly log: OwnLog;
  /**
   * The databases as Knex instances, by datasource name. They share the transaction of the operation, and are closed when the function
   * ends.
   */
  readonly datasources: ReturnType<Source['open']>['databases'];
}

export type OwnLog = Pick<Log, 'debug' | 'info' | 'warn' | 'error'>;

/** Opens the databases of a service for a run of a user function. */
export interface OwnDatabases<Opened extends object = object> {
  open(run: OwnRun): { readonly databases: Opened; close(): void };
  /** Runs the steps in one transaction per database, like an operation with `transaction: true`. */
  inTransaction<Result>(call: Call, run: (call: Call) => Promise<Result>): Promise<Result>;
}

/** A run of a user function. */
export interface OwnRun {
  readonly call: Call;
  readonly function: string;
}

export interface OwnFunction<Input, Result, Context> {
  readonly name: string;
  /** The user's function. */
  readonly run: (input: Input, context: Context) => Returned<Result>;
  /** The schema for every result; undefined for a function without a result. */
  readonly returns?: Schema;
  readonly datasources?: OwnDatabases;
}

/** The return type of a user function. Without a declared result it may return anything, and the result is null. */
type Returned<Result> = [Result] extends [null] ? unknown : Result | PromiseLike<Result>;

/** A user function, as operations call it. */
type Called<Input, Result> = (
  call: Call,
  fulfillment: string,
  ...input: [Input] extends [null] ? [] : [input: Input]
) => Promise<Result>;

/**
 * Wraps a user function: it receives a frozen copy of the input, and its result is copied and validated. Rethrows failures of `fail`
 * unchanged, and all other errors as a ServiceError.
 */
export function ownCode<Input, Result, Context extends OwnContext>(
  definition: OwnFunction<Input, Result, Context>,
): Called<Input, Result> {
  const run = (call: Call, fulfillment: string, input: Json = null) =>
    runOnce(definition as unknown as OwnFunction<Json, unknown, OwnContext>, call, fulfillment, input);
  return run as unknown as Called<Input, Result>;
}

async function runOnce(
  { name, run, returns, datasources }: OwnFunction<Json, unknown, OwnContext>,
  call: Call,
  fulfillment: string,
  input: Json,
): Promise<Json> {
  const site: CodeSite = { function: name, fulfillment };
  call.proceed();
  const files = new FileCopies(call);
  let result: unknown;
  try {
    const passed = frozenCopy(input, site, 'input', files);
    const caller = frozenCopy(call.caller, site, 'caller') as JsonObject | null;
    const opened = datasources?.open({ call, function: name }) ?? { databases: {}, close: nothing };
    // The function may have had effects, so the call must not be retried.
    noteChange(call);
    try {
      result = await untilEnd(call, async (signal) => {
        const context = { caller, signal, log: logOf(name, call), datasources: opened.databases };
        try {
          return await run(passed, context);
        } catch (error) {
          throw endOf(error, site);
        }
      });
    } finally {
      opened.close();
    }
  } finally {
    files.release();
  }
  call.proceed();
  return returns === undefined ? null : resultOf(result, returns, call, site);
}

function nothing(): void {
  // Without databases, there is nothing to close.
}

function resultOf(result: unknown, returns: Schema, call: Call, site: CodeSite): Json {
  let copy;
  try {
    copy = copyOf(result);
  } catch (error) {
    throw wrongResult(error, site);
  }
  const { value, bytes } = copy;
  const errors = new ValidationErrors();
  returns.check(value, new ValuePath('result'), errors);
  const [first] = errors.faults;
  if (first !== undefined) {
    // The text after ', not ' is the value, which must not be logged.
    const [expected = ''] = first.message.split(/, not /);
    throw wrong(site, first.pointer ?? '', expected);
  }
  if (bytes >= uncounted) (call.root ?? call).hold?.(bytes);
  return value;
}

/** The error for an invalid result, or for a result whose getters throw. */
function wrongResult(error: unknown, site: CodeSite): Error {
  return error instanceof NotJson ? wrong(site, error.pointer, error.problem) : endOf(error, site);
}

function wrong(site: CodeSite, pointer: string, problem: string): ServiceError {
  const log = { ...site, pointer, reason: `the result ${problem}` };
  return new ServiceError(500, 'Internal server error', { log });
}

function frozenCopy(value: Json, site: CodeSite, what: 'input' | 'caller', files?: FileCopies): Json {
  try {
    return copyOf(value, true, files && ((file): InputFile => files.copy(file))).value;
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    const log = { ...site, pointer: error.pointer, reason: `the ${what} ${error.problem}` };
    throw new ServiceError(500, 'Internal server error', { log });
  }
}

let current: Log | undefined;

/** The log of the service, for a run of a user function. */
function logOf(name: string, { requestId }: Call): OwnLog {
  if (current === undefined) throw new Error('the service has not been started');
  return current.child({ requestId, function: name });
}

/**
 * Sets the log passed to user code. An unhandled rejection in user code is logged and does not end the process, because it does not
 * affect the state of the service.
 */
export function openOwnCode(log: Log): void {
  current = log;
  process.on('unhandledRejection', (reason) => {
    const end = endOf(reason, { function: '', fulfillment: '' });
    const { log: facts, cause } = end instanceof ServiceError ? end.details : {};
    const error = cause === undefined ? {} : { error: describeError(cause) };
    log.error(
      { thrown: facts?.['thrown'] ?? 'a failure', ...error },
      'a promise that nobody waits for was rejected',
    );
  });
}
