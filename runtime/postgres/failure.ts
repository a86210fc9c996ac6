/** Maps PostgreSQL errors to failures, and locates rejected values inside JSON values. */
import { errorCode, errorField, messageOf } from '../handler/reply.js';
import {
  isNetworkCode,
  namesOf,
  raisedFailure,
  wasCut,
  type Aftermath,
  type ConstraintNames,
  type Failure,
  type FailureKind,
} from '../sql/failure.js';
import { textOf, type Json } from '../handler/json.js';
import { decimal, integer, uuid, type Encoder, type NotNull } from './encode.js';

/** Failure kinds by SQLSTATE class, the first two characters. */
const classes: Readonly<Record<string, FailureKind>> = {
  '08': 'unavailable', // connection exception
  '22': 'bad-value', // data exception
  '23': 'integrity', // integrity constraint violation
  '40': 'unavailable', // transaction rollback
  '44': 'bad-value', // with check option violation
  '53': 'unavailable', // insufficient resources
  '57': 'unavailable', // operator intervention
};

/** The code for changing data in a read-only session or transaction. */
export const readOnlyTransaction = '25006';

/** Codes whose meaning differs from their class. */
const codes: Readonly<Record<string, FailureKind>> = {
  '08P01': 'unexpected', // protocol violation
  '23502': 'bad-value', // not null
  '23514': 'bad-value', // check
  [readOnlyTransaction]: 'unavailable', // read-only: the connected server has become a standby
  '40001': 'conflict', // serialization failure
  '40P01': 'conflict', // deadlock
  '54000': 'bad-value', // program limit exceeded: too long for an index or a text search
  '55006': 'unavailable', // object in use
  '55P03': 'conflict', // // lock not available, for a statement with NOWAIT
  '57014': 'timeout', // query cancelled: statement_timeout
};

/** Codes of fatal errors. The severity field is not checked, because it may be localized. */
const sessionEnds = /^(?:57P|25P03|25P04)/;

/** Log messages for refused or ended connections. */
const reasons: Readonly<Record<string, string>> = {
  '25P03': 'the server ended a transaction that was idle for too long (idle_in_transaction_session_timeout)',
  '25P04': 'the server ended a transaction that took too long (transaction_timeout)',
  '28000': 'the server refuses this user, or this host, or asks for encryption (sslmode)',
  '28P01': 'the password is wrong',
  '3D000': 'there is no such database',
  '53300': 'the server has too many connections',
  '57P01': 'the server ended the connection',
  '57P02': 'the server ended the connection',
  '57P03': 'the server is starting or stopping',
  '57P05': 'the server ended a connection that was idle for too long (idle_session_timeout)',
};

/** Messages of PgBouncer before it has sent anything to the server. All PgBouncer errors have the same code. */
const refusedByPooler =
  /^(?:query_wait_timeout|no more connections allowed|server login|pgbouncer cannot connect|pgbouncer is shutting down|the database system is)/;

/**
 * Maps a driver error. While connecting (without `text`), every error means that the database is unavailable: a server that does not
 * know the user or database may still be starting, and no request is at fault.
 */
export function postgresFailure(error: unknown, text: string | undefined): Failure {
  const code = errorCode(error);
  const state = errorField(error, 'severity') !== undefined && typeof code === 'string' ? code : undefined;
  const known = code === undefined ? {} : { code };
  if (text === undefined) {
    const isFull = state === '53300' || (state === '08P01' && /^no more connections/.test(messageOf(error)));
    const isCut =
      state === '57P01' || wasCut(code) || messageOf(error) === 'Connection terminated unexpectedly';
    return {
      kind: 'unavailable',
      ...known,
      reason: refusal(error, state) ?? 'no connection',
      ...(isFull ? { aftermath: 'full' } : isCut ? { aftermath: 'ended' } : {}),
    };
  }
  if (state === undefined) return withoutResponse(error, known);
  if (isFatal(error, state)) return fatal(error, state);

  const raised = raisedFailure(state, messageOf(error));
  if (raised !== undefined) return { ...known, ...raised, ...raisedAt(error) };
  const kind = valueWithSyntax(error, state) ?? codes[state] ?? classes[state.slice(0, 2)] ?? 'unexpected';
  const reason = state.startsWith('42') ? configurationError(error) : undefined;
  const constraint = /^(?:23|44)/.test(state) ? constraintOf(error) : undefined;
  const aftermath = aftermathOf(state);
  const isOfRow = state === '42501' && errorField(error, 'routine') === 'ExecWithCheckOptions';
  return {
    kind,
    ...known,
    ...(reason === undefined ? {} : { reason }),
    ...(constraint === undefined ? {} : { constraint }),
    ...violatedBy(error, state),
    ...(aftermath === undefined ? {} : { aftermath }),
    ...(isOfRow ? { isOfRow } : {}),
  };
}

/**
 * The function and line of a RAISE. Used for the log if the values in the message are unknown (COMMIT), because this text does not
 * contain values.
 */
function raisedAt(error: unknown): Pick<Failure, 'reason'> {
  const where = /^PL\/pgSQL function [\w$."]+\([\w$., "[\]]*\) line \d+ at RAISE$/m.exec(
    errorField(error, 'where') ?? '',
  );
  return where === null ? {} : { reason: where[0] };
}

function aftermathOf(state: string): Aftermath | undefined {
  if (state === readOnlyTransaction) return 'ended';
  if (state === '55P03') return 'final';
  // Failures of a server that this server was connected to, and a COMMIT with an unknown outcome.
  return state === '40003' || (state.startsWith('08') && state !== '08P01') ? 'unreported' : undefined;
}

/** Detects errors in JSON paths, text searches and label paths, which have the SQLSTATE of invalid SQL although the value is invalid. */
function valueWithSyntax(error: unknown, state: string): FailureKind | undefined {
  const routine = errorField(error, 'routine') ?? '';
  return state === '42601' &&
    /^(?:jsonpath_|makepol|gettoken_|prssyntaxerror|parse_(?:tsquery|l\w+))/.test(routine)
    ? 'bad-value'
    : undefined;
}

/** Maps errors of the driver, which lack a severity and sometimes a code. */
function withoutResponse(error: unknown, known: { readonly code?: string | number }): Failure {
  // After the end of a connection, the driver rejects statements without sending them.
  if (/is not queryable$/.test(messageOf(error)))
    return { kind: 'unavailable', ...known, aftermath: 'ended' };
  return isNetworkCode(known.code) || isTerminated(error)
    ? { kind: 'unavailable', ...known, aftermath: 'lost' }
    : { kind: 'unexpected', ...known, aftermath: 'broken' };
}

function isTerminated(error: unknown): boolean {
  return messageOf(error).startsWith('Connection terminated');
}

function isFatal(error: unknown, state: string): boolean {
  const severity = errorField(error, 'severity');
  return severity === 'FATAL' || severity === 'PANIC' || sessionEnds.test(state);
}

/**
 * Maps an error that ended the connection. A server has already rolled back running statements. A pooler, whose errors do not name a
 * routine in the server's source, may have lost its server during a statement.
 */
function fatal(error: unknown, state: string): Failure {
  const message = messageOf(error);
  if (message.startsWith('transaction blocks not allowed'))
    return {
      kind: 'unexpected',
      code: state,
      aftermath: 'broken',
      reason: 'PgBouncer allows no transactions with pool_mode = statement',
    };
  const isSettled = errorField(error, 'routine') !== undefined || refusedByPooler.test(message);
  return {
    kind: 'unavailable',
    code: state,
    aftermath: isSettled ? 'ended' : 'lost',
    reason: reasons[state] ?? 'the server, or a pooler before it, ended the connection',
  };
}

function refusal(error: unknown, state: string | undefined): string | undefined {
  if (state !== '08P01') return state === undefined ? undefined : reasons[state];
  return messageOf(error).startsWith('unsupported startup parameter')
    ? "a pooler refuses the session's settings; write prepareThreshold=0 where it keeps no sessions"
    : 'a pooler refuses the connection';
}

/** Whether a trigger or function has raised the error: it can put any text into the fields. */
function isRaised(error: unknown): boolean {
  return errorField(error, 'routine') === 'exec_stmt_raise';
}

function violatedBy(error: unknown, state: string): Pick<Failure, 'violated'> {
  const name = errorField(error, 'constraint');
  return name === undefined || !state.startsWith('23') || isRaised(error) ? {} : { violated: [name] };
}

/** The constraint names in an error. */
function constraintOf(error: unknown): ConstraintNames | undefined {
  if (isRaised(error)) return {};
  return namesOf({
    table: errorField(error, 'table'),
    column: errorField(error, 'column'),
    constraint: errorField(error, 'constraint'),
  });
}

/**
 * The server's message if the statement itself is invalid: the message quotes SQL from the configuration, which does not contain
 * values. Errors of functions are omitted, because functions can build statements from values.
 */
function configurationError(error: unknown): string | undefined {
  if (errorField(error, 'where') !== undefined || errorField(error, 'internalQuery') !== undefined)
    return undefined;
  return messageOf(error);
}

/** A rejected value: its path inside a parameter, and a description of valid values. */
interface RefusedElement {
  /** The path: `[1].count` */
  readonly at: string;
  readonly expected: string;
}

/** Server functions that parse values, by their names in the server's source, because messages may be localized. */
const readers: readonly (readonly [routine: RegExp, encoder: Encoder])[] = [
  [/^(?:pg_strtoint16|int2)/, integer(16)],
  [/^(?:pg_strtoint32|int4)/, integer(32)],
  [/^(?:pg_strtoint64|int8|scanint8)/, integer(64)],
  [/^(?:numeric_in|set_var_from|float[48]in)/, decimal],
  [/uuid/, uuid],
];

/** The rejected value; undefined if the error does not quote a value, or the JSON does not contain the value exactly once. */
export function refusedElement(error: unknown, value: Json): RefusedElement | undefined {
  const quoted = /"(.*)"/s.exec(messageOf(error))?.[1];
  if (quoted === undefined || typeof value !== 'object') return undefined;
  const found: { readonly at: string; readonly element: NotNull }[] = [];
  find(value, '', (at, element) => {
    if (textOf(element) === quoted) found.push({ at, element });
    return found.length < 2;
  });
  const [first, second] = found;
  if (first === undefined || second !== undefined) return undefined;
  const routine = errorField(error, 'routine') ?? '';
  const encoder = readers.find(([pattern]) => pattern.test(routine))?.[1];
  return { at: first.at, expected: encoder?.expected?.(first.element) ?? encoder?.one ?? '' };
}

/** Field names that may appear in a message. */
const plainName = /^[\w$-]{1,64}$/;

/** Calls the visitor for every string, number and boolean until it returns false. Returns the last result. */
function find(value: Json, at: string, visit: (at: string, element: NotNull) => boolean): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.every((item, index) => find(item, `${at}[${index}]`, visit));
  if (typeof value !== 'object') return visit(at, value);
  return Object.entries(value).every(([name, item]) =>
    find(item, plainName.test(name) ? `${at}.${name}` : at, visit),
  );
}
