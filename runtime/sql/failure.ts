/** The possible failures of a statement, with their responses and log entries. */
import { ServiceError, unnamedValue, type Fault } from '../handler/reply.js';

/**
 * The kinds of failure, one for each response. `integrity`: the change contradicts other data. `conflict`: the statement collided with
 * a concurrent change, and was rolled back completely. `busy`: no connection was available. `forbidden`: the role of a context lacks a
 * privilege, or a value of the caller does not match the type it is compared with. `raised`: a rule in the database deliberately
 * rejects the statement (RAISE EXCEPTION, SIGNAL).
 */
export type FailureKind =
  | 'bad-value'
  | 'raised'
  | 'forbidden'
  | 'integrity'
  | 'conflict'
  | 'busy'
  | 'unavailable'
  | 'timeout'
  | 'unexpected';

/** The state of the statement and its connection after a failure. If undefined, the statement was rolled back, and the connection works. */
export type Aftermath =
  /** The connection has ended, and the statement had no effect. */
  | 'ended'
  /** The connection has ended before the server reported the outcome of the statement. */
  | 'lost'
  /** The states of the connection and of the statement are unknown. */
  | 'broken'
  /** The connection works, but the server did not report the outcome of the statement. */
  | 'unreported'
  /** The statement may have changed data, and it is unknown whether it was executed. */
  | 'unknown'
  /** The statement had an effect that was not undone, so it must not run again. */
  | 'final'
  /** The statement has not run, and can run on another connection. */
  | 'delayed'
  /** The statement changes data where only reads are allowed, and had no effect. */
  | 'writes'
  /** The server or a pooler refuses additional connections. Open connections still work. */
  | 'full';

export interface Failure {
  readonly kind: FailureKind;
  readonly aftermath?: Aftermath;
  /** SQLSTATE, the error number of the server, or the code of a network error. */
  readonly code?: string | number;
  /** The rejected value: its index among the placeholders, the position inside it (`[1].count`), and a description of valid values. */
  readonly value?: { readonly index: number; readonly at?: string; readonly expected: string };
  /** Whether a policy rejects a row of the statement, but not the statement itself. */
  readonly isOfRow?: boolean;
  /** Names in a violated constraint: schema names only, no values. */
  readonly constraint?: ConstraintNames;
  /** The possible names of the violated constraint. */
  readonly violated?: readonly string[];
  /** The reason for the log, in addition to the code, without values or secrets. */
  readonly reason?: string;
  /** The message of RAISE or SIGNAL, which may contain values of the statement. */
  readonly raised?: string;
  /** The status named by a rule in the database: `PT409`. */
  readonly status?: number;
}

/** Constraint names, as far as the server reports them. */
export interface ConstraintNames {
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
}

/** The location of a failure in the configuration. */
export interface FailureSite {
  readonly datasource: string;
  readonly operation?: string;
  readonly fulfillment?: string;
}

/** A failure, with the driver error that caused it. */
export class DatabaseFailure extends Error {
  override readonly name = 'DatabaseFailure';

  constructor(
    readonly failure: Failure,
    cause?: unknown,
  ) {
    super(failure.reason ?? failure.kind, { cause });
  }
}

/** Converts a driver error to a failure with `describe`. */
export function asFailure(error: unknown, describe: () => Failure): DatabaseFailure {
  return error instanceof DatabaseFailure ? error : new DatabaseFailure(describe(), error);
}

/** The failure of a preparatory query; the statement itself was not run. */
export function notRun({ aftermath, ...failure }: Failure): Failure {
  const isEnded = aftermath !== undefined && isWithoutConnection({ ...failure, aftermath });
  return isEnded ? { ...failure, aftermath: 'ended' } : failure;
}

/** Whether the connection is unusable. */
export function isWithoutConnection({ aftermath }: Failure): boolean {
  return aftermath === 'ended' || aftermath === 'lost' || aftermath === 'broken';
}

/** Whether the statement may have been sent but its outcome was not reported. */
export function isWithoutResult({ aftermath }: Failure): boolean {
  return aftermath === 'lost' || aftermath === 'broken' || aftermath === 'unreported';
}

/** A received value cannot be read, for example deeply nested JSON. The connection still works. */
export function unreadable(error: unknown): DatabaseFailure {
  return new DatabaseFailure({ kind: 'unexpected', reason: 'a value of the result cannot be read' }, error);
}

const responses: Readonly<Record<FailureKind, readonly [status: number, message: string]>> = {
  'bad-value': [400, unnamedValue],
  raised: [400, 'The database refuses the request'],
  forbidden: [403, 'Forbidden'],
  integrity: [409, 'The change conflicts with existing data'],
  conflict: [503, 'The change conflicts with another one'],
  busy: [503, 'The service is busy'],
  unavailable: [503, 'The database is not available'],
  timeout: [504, 'The database took too long to respond'],
  unexpected: [500, 'Internal server error'],
};

/** Seconds before the caller may retry. */
const retryAfter = 1;

/**
 * The failure for a SQLSTATE raised by RAISE or SIGNAL: codes without a special meaning (P0001 on PostgreSQL, 45000 on MySQL), and
 * codes that name a status, as in PostgREST.
 */
export function raisedFailure(
  state: string,
  message: string,
): Pick<Failure, 'kind' | 'raised' | 'status'> | undefined {
  if (state === 'P0001' || state === '45000') return { kind: 'raised', raised: message };
  const [, status] = /^PT(\d{3})$/.exec(state) ?? [];
  if (status === undefined) return undefined;
  return status.startsWith('4')
    ? { kind: 'raised', raised: message, status: Number(status) }
    : { kind: 'unexpected', raised: message };
}

/**
 * The consequence of a failure for a statement that may change data. The outcome is unknown if the server did not report it. For a
 * statement that may commit part of its work (not `atomic`: a procedure that commits), the outcome is unknown after every failure that
 * would invite a retry.
 */
export function outcomeOf(error: DatabaseFailure, atomic: boolean): DatabaseFailure {
  const { failure, cause } = error;
  const isOpen = isWithoutResult(failure) || (!atomic && responses[failure.kind][0] >= 503);
  return isOpen ? new DatabaseFailure({ ...failure, aftermath: 'unknown' }, cause) : error;
}

/**
 * The error that ends the call. The public message is general; codes are only logged. If the statement has no values, a bad value is in
 * its SQL, so the caller is not at fault. Retrying is only useful if the statement was certainly not executed; only then is
 * `Retry-After` sent. The outcome of a write is never guessed.
 */
export function failureError(
  { failure, cause }: DatabaseFailure,
  index: FailureSite,
  hasValues = true,
): ServiceError {
  const kind = failure.kind === 'bad-value' && !hasValues ? 'unexpected' : failure.kind;
  const isUnknown = failure.aftermath === 'unknown';
  const [usual, message] = isUnknown ? unknownOutcome(kind) : responses[kind];
  const status = failure.status ?? usual;
  const outcome = isUnknown
    ? 'unknown'
    : kind === 'conflict' && failure.aftermath !== 'final'
      ? 'conflict'
      : undefined;
  return new ServiceError(status, message, {
    ...(status === 503 ? { retryAfter } : {}),
    ...(outcome === undefined ? {} : { outcome }),
    ...(failure.violated === undefined ? {} : { violated: failure.violated }),
    // Logged for the author of the configuration.
    ...(failure.constraint !== undefined || kind === 'forbidden' || kind === 'raised'
      ? { level: 'info' }
      : {}),
    log: {
      ...(index.operation === undefined ? {} : { operation: index.operation }),
      ...(index.fulfillment === undefined ? {} : { fulfillment: index.fulfillment }),
      datasource: index.datasource,
      ...(failure.code === undefined ? {} : { code: failure.code }),
      ...failure.constraint,
      ...(failure.reason === undefined ? {} : { reason: failure.reason }),
    },
    cause,
  });
}

function unknownOutcome(kind: FailureKind): readonly [status: number, message: string] {
  return [kind === 'timeout' ? 504 : 500, 'It is unknown whether the change was made'];
}

/** The reported names that look like schema names. */
export function namesOf(names: Readonly<Record<keyof ConstraintNames, string | undefined>>): ConstraintNames {
  const isName = (name: string | undefined) => name !== undefined && /^[\p{L}\w$ .-]{1,128}$/u.test(name);
  return Object.fromEntries(Object.entries(names).filter(([, name]) => isName(name)));
}

const networkCode =
  /^(?:ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_\w+|EHOST\w+|ENET\w+|EADDR\w+|EMFILE|ENFILE)$/;

/** Whether the code means a network or connection failure. */
export function isNetworkCode(code: string | number | undefined): boolean {
  return typeof code === 'string' && networkCode.test(code);
}

/** Whether the code means that an open connection was cut. */
export function wasCut(code: string | number | undefined): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'PROTOCOL_CONNECTION_LOST';
}

/** Server codes for an invalid value. Codes of calculations are excluded, because they may concern data in the database. */
const ofValue = new Set(['22001', '22003', '22007', '22008', '22021', '22026', '22P02', '22P05']);

/** The placeholder index of the rejected value; undefined if unknown. */
export function refusedIndex({ value, code }: Failure, markers: number): number | undefined {
  const isOnly = markers === 1 && typeof code === 'string' && ofValue.has(code);
  return value?.index ?? (isOnly ? 0 : undefined);
}

/** The message and validation error for a rejected value of the request. */
export function refusedValue(
  { value, code }: Failure,
  source: string,
): { readonly message: string; readonly fault: Fault } {
  const { expected = '', at = '' } = value ?? {};
  const fact = code === '22001' || code === 1406 ? 'is too long' : 'does not fit';
  const problem = expected === '' ? fact : `${fact}: expected ${expected}`;
  const where = located(source, at);
  return { message: `The value of ${described(where)} ${problem}`, fault: faultAt(where, problem) };
}

/** Inserts a position: `body.lines[].count` and `[1]` become `body.lines[1].count`. */
function located(source: string, at: string): string {
  const any = source.indexOf('[]');
  return at === '' || any === -1 ? source + at : source.replace('[]', () => at);
}

function described(source: string): string {
  if (source === 'body') return 'the body';
  const [, place, name] = named.exec(source) ?? [];
  if (place === 'param') return `parameter '${name ?? ''}'`;
  if (place !== undefined) return `${place === 'query' ? 'query parameter' : place} '${name ?? ''}'`;
  return `body field '${source.slice('body'.length).replace(/^\./, '')}'`;
}

const named = /^(param|header|query|cookie)\.(.*)$/s;

/** The machine-readable validation error. */
function faultAt(source: string, message: string): Fault {
  const [, place, name] = named.exec(source) ?? [];
  if (place !== undefined)
    return { in: place === 'param' ? 'parameter' : place, name: name ?? '', pointer: null, message };
  const steps = source.match(/[^.[\]]+/g)?.slice(1) ?? [];
  const field = steps.findLast((step) => !/^\d*$/.test(step));
  return { in: 'body', name: field ?? 'body', pointer: steps.map((step) => `/${step}`).join(''), message };
}
