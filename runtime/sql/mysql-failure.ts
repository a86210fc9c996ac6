/** What the errors of MySQL and MariaDB mean. */
import { errorCode, isNetworkCode, type Failure, type FailureKind } from './failure.js';

/** By the class of SQLSTATE, its first two characters. */
const classes: Readonly<Record<string, FailureKind>> = {
  '08': 'unavailable',
  '22': 'bad-value',
  '23': 'conflict',
  '40': 'unavailable', // deadlock: all of it was rolled back
};

/** By the server's error number, where SQLSTATE does not tell. */
const numbers: readonly (readonly [FailureKind, readonly number[]])[] = [
  // out of range, truncated, incorrect value, too long, wrong JSON, wrong geometry, wrong argument, packet too large
  [
    'bad-value',
    [
      1153, 1210, 1264, 1265, 1292, 1365, 1366, 1367, 1406, 1411, 1416, 1690, 3140, 3141, 3156, 3157, 4037,
      4038,
    ],
  ],
  // NULL not allowed, duplicate, foreign key, check constraint, view's check option
  ['conflict', [1022, 1048, 1062, 1169, 1216, 1217, 1369, 1451, 1452, 1586, 1761, 1762, 3819, 4025]],
  // max_statement_time, max_execution_time, KILL QUERY
  ['timeout', [1317, 1969, 3024]],
  // too many connections, disk full, shutting down, lock wait timeout, read-only, killed, out of memory
  ['unavailable', [1021, 1037, 1038, 1040, 1041, 1053, 1203, 1205, 1213, 1226, 1290, 1836, 1927, 3168]],
];

const kinds = new Map(numbers.flatMap(([kind, list]) => list.map((number) => [number, kind] as const)));

/** These end the session, or say that this server is not the one to talk to any more. */
const sessionEnds = new Set([1053, 1290, 1836, 1927, 3168]);

/** Said in the log of a connection that was refused. */
const refusals: Readonly<Record<number, string>> = {
  1040: 'the server has too many connections',
  1044: 'the user may not use this database',
  1045: 'the user or the password is wrong',
  1049: 'there is no such database',
  1130: 'the server refuses this host',
  1251: 'the server asks for a way to log in that is not supported',
};

/** Statements that name what is not there, or are no SQL: the messages hold nothing but the configuration's text. */
const configurationMistakes = new Set([1054, 1064, 1109, 1146, 1305, 1630, 1241, 1222]);

/** Whether the server raised the error; with `numbers`, one of these. */
export function isMysqlError(error: unknown, numbers?: readonly number[]): boolean {
  const number = errorNumber(error);
  return number !== undefined && (numbers === undefined || numbers.includes(number));
}

/** Maps an error of the driver; while connecting (no `text`) everything means that the database is not available. */
export function mysqlFailure(error: unknown, text: string | undefined): Failure {
  const number = errorNumber(error);
  const code = number ?? errorCode(error);
  const known = code === undefined ? {} : { code };
  if (text === undefined) {
    const reason = number === undefined ? undefined : refusals[number];
    return { kind: 'unavailable', ...known, reason: reason ?? 'no connection' };
  }
  if (number === undefined) {
    return isLostConnection(error, code)
      ? { kind: 'unavailable', ...known, died: true }
      : { kind: 'unexpected', ...known, broken: true };
  }
  const kind =
    valueOfOtherCharset(number, error) ??
    kinds.get(number) ??
    classes[sqlState(error).slice(0, 2)] ??
    'unexpected';
  const reason = configurationMistakes.has(number) ? configurationMistake(error, text) : undefined;
  const died = kind === 'unavailable' && (sessionEnds.has(number) || sqlState(error).startsWith('08'));
  return { kind, ...known, ...(reason === undefined ? {} : { reason }), ...(died ? { died } : {}) };
}

/**
 * A text that is compared with a column whose character set does not have its characters. Two columns that do not go together are the
 * configuration's own mistake.
 */
function valueOfOtherCharset(number: number, error: unknown): FailureKind | undefined {
  const isMix = number === 1267 || number === 1270 || number === 1271;
  return isMix && error instanceof Error && error.message.includes('COERCIBLE') ? 'bad-value' : undefined;
}

/** The server's own number; errors of the network have a negative one, which says nothing. */
function errorNumber(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errno' in error)) return undefined;
  return typeof error.errno === 'number' && error.errno > 0 ? error.errno : undefined;
}

function sqlState(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('sqlState' in error)) return '';
  return typeof error.sqlState === 'string' ? error.sqlState : '';
}

function isLostConnection(error: unknown, code: string | number | undefined): boolean {
  if (code === 'PROTOCOL_CONNECTION_LOST' || isNetworkCode(code)) return true;
  return error instanceof Error && /in closed state$/.test(error.message);
}

/** A procedure may build statements of its own from values; everything else is the configuration's text. */
function configurationMistake(error: unknown, text: string): string | undefined {
  return error instanceof Error && !/^\s*call\b/i.test(text) ? error.message : undefined;
}
