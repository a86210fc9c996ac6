/** Maps MySQL and MariaDB errors to failures. */
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
import { tlsReason } from './tls.js';

/** Failure kinds by SQLSTATE class, the first two characters. */
const classes: Readonly<Record<string, FailureKind>> = {
  '08': 'unavailable',
  '22': 'bad-value',
  '23': 'integrity',
  '40': 'unavailable', // transaction rollback
};

/** Failure kinds by error number, for errors whose SQLSTATE is not specific enough. */
const numbers: readonly (readonly [FailureKind, readonly number[]])[] = [
  // out of range, truncated, incorrect value, too long, invalid JSON, invalid geometry, invalid argument, packet too large
  [
    'bad-value',
    [
      1153, 1210, 1264, 1265, 1292, 1365, 1366, 1367, 1406, 1411, 1416, 1690, 3140, 3141, 3156, 3157, 4037,
      4038,
    ],
  ],
  // a JSON path on MySQL: invalid, or a wildcard or the whole document instead of a single value
  ['bad-value', [3143, 3149, 3153]],
  // regular expressions, on MariaDB and MySQL
  ['bad-value', [1139, 3685, 3686, 3688, 3689, 3690, 3691, 3692, 3693, 3694, 3695, 3696, 3697, 3698, 3700]],
  // NULL not allowed, no default, view's check option, check constraint
  ['bad-value', [1048, 1263, 1364, 1369, 3819, 4025]],
  // duplicate, foreign key
  ['integrity', [1022, 1062, 1169, 1216, 1217, 1451, 1452, 1586, 1761, 1762]],
  // lock wait timeout, deadlock, row changed since the transaction's snapshot on MariaDB
  ['conflict', [1020, 1205, 1213]],
  // max_statement_time, max_execution_time, KILL QUERY
  ['timeout', [1317, 1969, 3024]],
  // too many connections, disk full, shutting down, error during COMMIT, read-only, killed, idle for too long, out of memory
  ['unavailable', [1021, 1037, 1038, 1040, 1041, 1053, 1180, 1203, 1226, 1290, 1461, 1836, 1927, 3168, 4031]],
  // lock not available, for a statement with NOWAIT
  ['conflict', [3572]],
];

const kinds = new Map(numbers.flatMap(([kind, list]) => list.map((number) => [number, kind] as const)));

/** Errors that end the session, or mean that this server must not be used any more. */
const sessionEnds = new Set([1053, 1290, 1836, 1927, 3168, 4031]);

/** The connection limits of the server and of the account. */
const full = new Set([1040, 1203, 1226]);

/** Retryable errors while a session is being set up. */
const killed = new Set([1317, 1927]);

const aftermaths: Readonly<Record<number, Aftermath>> = {
  1180: 'unreported',
  // Another connection may have already prepared the statement.
  1461: 'delayed',
  3572: 'final',
};

/** Log messages for refused or ended connections. */
const reasons: Readonly<Record<number, string>> = {
  1040: 'the server has too many connections',
  1044: 'the user may not use this database',
  1045: 'the user or the password is wrong, or the account asks for an encrypted connection',
  1049: 'there is no such database',
  1053: 'the server is stopping',
  1130: 'the server refuses this host',
  1203: 'the user has too many connections',
  1226: 'the user has used up what the server grants it',
  1251: 'the server asks for a way to log in that is not supported',
  1927: 'the server ended the connection',
  3159: 'the server asks for an encrypted connection',
  4031: 'the server ended a connection that was idle for too long',
};

/** Errors for unknown names or invalid SQL. Their messages only contain SQL from the configuration. */
const configurationErrors = new Set([1054, 1064, 1109, 1146, 1305, 1630, 1241, 1222]);

/** Whether the error was raised by the server and, with `numbers`, is one of these errors. */
export function isMysqlError(error: unknown, numbers?: readonly number[]): boolean {
  const number = errorNumber(error);
  return number !== undefined && (numbers === undefined || numbers.includes(number));
}

/**
 * Detects a search string that MATCH … AGAINST (… IN BOOLEAN MODE) cannot parse: the error has the number for invalid SQL, but a
 * message from the search parser.
 */
function valueWithSyntax(number: number, error: unknown): FailureKind | undefined {
  return number === 1064 && /^syntax error, unexpected /.test(messageOf(error)) ? 'bad-value' : undefined;
}

/** Maps a driver error. While connecting (without `text`), every error means that the database is unavailable. */
export function mysqlFailure(error: unknown, text: string | undefined): Failure {
  const number = errorNumber(error);
  const code = number ?? errorCode(error);
  const known = code === undefined ? {} : { code };
  if (text === undefined) {
    const reason = number === undefined ? tlsReason(error) : reasons[number];
    const isFull = number !== undefined && full.has(number);
    const isCut = number === undefined ? wasCut(code) : killed.has(number);
    return {
      kind: 'unavailable',
      ...known,
      reason: reason ?? 'no connection',
      ...(isFull ? { aftermath: 'full' } : isCut ? { aftermath: 'ended' } : {}),
    };
  }
  if (number === undefined) return withoutResponse(error, known);

  const state = errorField(error, 'sqlState') ?? '';
  const raised = raisedFailure(state, messageOf(error));
  if (raised !== undefined) return { ...known, ...raised };
  const kind =
    valueOfOtherCharset(number, error) ??
    valueWithSyntax(number, error) ??
    kinds.get(number) ??
    classes[state.slice(0, 2)] ??
    'unexpected';
  const hasEnded = kind === 'unavailable' && (sessionEnds.has(number) || state.startsWith('08'));
  const aftermath = hasEnded ? 'ended' : aftermaths[number];
  const configurationProblem = configurationErrors.has(number) ? configurationError(error, text) : undefined;
  const reason = configurationProblem ?? (hasEnded ? reasons[number] : undefined);
  const names = namesIn(number, error);
  return {
    kind,
    ...known,
    ...(reason === undefined ? {} : { reason }),
    ...(names === undefined ? {} : { constraint: namesOf(names) }),
    ...(names?.constraint === undefined ? {} : { violated: possibleNames(names.constraint) }),
    ...(aftermath === undefined ? {} : { aftermath }),
  };
}

/** Maps errors of the network and of the driver. */
function withoutResponse(error: unknown, known: { readonly code?: string | number }): Failure {
  // After the end of a connection, the driver rejects statements without sending them.
  if (error instanceof Error && /in closed state$/.test(error.message))
    return { kind: 'unavailable', ...known, aftermath: 'ended' };
  const isLost = wasCut(known.code) || isNetworkCode(known.code);
  return isLost
    ? { kind: 'unavailable', ...known, aftermath: 'lost' }
    : { kind: 'unexpected', ...known, aftermath: 'broken' };
}

/**
 * Names in English messages about violated constraints. Some messages also contain values, so each pattern only matches text that must
 * be a name.
 */
const constraintMessages: Readonly<Record<number, RegExp>> = {
  1048: /^Column '(?<column>[^']+)' cannot be null$/,
  1062: / for key '(?<constraint>[^']+)'$/,
  1364: /^Field '(?<column>[^']+)' doesn't have a default value$/,
  1369: /^CHECK OPTION failed `[^`]+`\.`(?<table>[^`]+)`$/,
  1451: /\(`[^`]+`\.`(?<table>[^`]+)`, CONSTRAINT `(?<constraint>[^`]+)` FOREIGN KEY \(`(?<column>[^`]+)`/,
  1452: /\(`[^`]+`\.`(?<table>[^`]+)`, CONSTRAINT `(?<constraint>[^`]+)` FOREIGN KEY \(`(?<column>[^`]+)`/,
  1586: / for key '(?<constraint>[^']+)'$/,
  3819: /^Check constraint '(?<constraint>[^']+)' is violated\.$/,
  4025: /^CONSTRAINT `(?<constraint>[^`]+)` failed for `[^`]+`\.`(?<table>[^`]+)`$/,
};

/** Errors raised by constraints. Names may be missing from their messages. */
const constraintErrors = new Set([
  1022, 1048, 1062, 1169, 1216, 1217, 1263, 1364, 1369, 1451, 1452, 1586, 1761, 1762, 3819, 4025,
]);

/** MySQL 8.0.19 and later report a key after its table, MariaDB the check of a column: `link.link_slug_key`. */
function possibleNames(reported: string): string[] {
  const dot = reported.indexOf('.');
  return dot === -1 ? [reported] : [reported, reported.slice(dot + 1)];
}

/** The names in the message; undefined if no constraint was violated. */
function namesIn(
  number: number,
  error: unknown,
): Readonly<Record<keyof ConstraintNames, string | undefined>> | undefined {
  if (!constraintErrors.has(number)) return undefined;
  const { table, column, constraint } = constraintMessages[number]?.exec(messageOf(error))?.groups ?? {};
  return { table, column, constraint };
}

/**
 * Detects a string compared with a column whose character set cannot represent it. Comparing two incompatible columns, in contrast, is
 * a configuration error.
 */
function valueOfOtherCharset(number: number, error: unknown): FailureKind | undefined {
  const isMix = number === 1267 || number === 1270 || number === 1271;
  return isMix && error instanceof Error && error.message.includes('COERCIBLE') ? 'bad-value' : undefined;
}

/** The error number from the server. Network errors have a negative number, which is ignored. */
function errorNumber(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errno' in error)) return undefined;
  return typeof error.errno === 'number' && error.errno > 0 ? error.errno : undefined;
}

/**
 * The message of a configuration error. Procedures can build statements from values, so their messages are omitted; others only contain
 * SQL from the configuration.
 */
function configurationError(error: unknown, text: string): string | undefined {
  return /^\s*call\b/i.test(text) ? undefined : messageOf(error);
}
