/** What PostgreSQL's errors mean. */
import { errorCode, isNetworkCode, type Failure, type FailureKind } from './failure.js';

/** By the class of SQLSTATE, its first two characters. */
const classes: Readonly<Record<string, FailureKind>> = {
  '08': 'unavailable', // connection exception
  '22': 'bad-value', // data exception
  '23': 'conflict', // integrity constraint violation
  '40': 'unavailable', // serialization failure, deadlock: all of it was rolled back
  '44': 'conflict', // with check option violation
  '53': 'unavailable', // insufficient resources
  '57': 'unavailable', // operator intervention
};

/** A change of data where only reading is allowed. */
export const readOnlyTransaction = '25006';

/** Single codes that mean something else than their class. */
const codes: Readonly<Record<string, FailureKind>> = {
  '08P01': 'unexpected', // protocol violation
  [readOnlyTransaction]: 'unavailable', // read-only: the server we are connected to has become a stand-by
  '55006': 'unavailable', // object in use
  '55P03': 'unavailable', // lock not available
  '57014': 'timeout', // query cancelled: statement_timeout
};

/** Said in the log of a connection that was refused. */
const refusals: Readonly<Record<string, string>> = {
  '08P01':
    "the server refuses the session's settings; behind a pooler in transaction mode, write prepareThreshold=0",
  '28000': 'the server refuses this user, or this host, or asks for encryption (sslmode)',
  '28P01': 'the password is wrong',
  '3D000': 'there is no such database',
  '53300': 'the server has too many connections',
};

/**
 * Maps an error of the driver. While connecting (no `text`), everything means that the database is not available: a
 * server that does not know the user or the database may still be in the making, and no request is to blame.
 */
export function postgresFailure(error: unknown, text: string | undefined): Failure {
  const code = errorCode(error);
  const state = isServerError(error) && typeof code === 'string' ? code : undefined;
  const known = code === undefined ? {} : { code };
  if (text === undefined) {
    const reason = state === undefined ? undefined : refusals[state];
    return { kind: 'unavailable', ...known, reason: reason ?? 'no connection' };
  }
  if (state === undefined) {
    const lost = isNetworkCode(code) || isLostConnection(error);
    return lost
      ? { kind: 'unavailable', ...known, died: true }
      : { kind: 'unexpected', ...known, broken: true };
  }
  const kind = codes[state] ?? classes[state.slice(0, 2)] ?? 'unexpected';
  const reason = state.startsWith('42') ? configurationMistake(error) : undefined;
  const died = kind === 'unavailable' && /^(?:08|57P|25006)/.test(state);
  return { kind, ...known, ...(reason === undefined ? {} : { reason }), ...(died ? { died } : {}) };
}

/** The server's errors have a severity; those of the network and of the driver have none. */
function isServerError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'severity' in error;
}

/** The driver gives these no code. */
function isLostConnection(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(?:Connection terminated|Client has encountered a connection error)/.test(error.message)
  );
}

/**
 * The server's message where the statement itself is wrong: it names what stands in the configuration's text. Values
 * are never part of that text — but a function may build statements of its own, so its errors are left out.
 */
function configurationMistake(error: unknown): string | undefined {
  if (!(error instanceof Error) || ('where' in error && error.where !== undefined)) return undefined;
  return 'internalQuery' in error && error.internalQuery !== undefined ? undefined : error.message;
}
