/**
 * The options of JDBC database URLs: supported options, and options that request the default. All others cause a warning and are never
 * passed to the driver.
 */

import {
  targetServers,
  type DatabaseKind,
  type JdbcOptions,
  type TargetServer,
  type Tls,
} from '../../../../runtime/sql/jdbc-url.js';
import { wordSet } from '../../wordset.js';

/** A problem with a URL. Its messages never contain a user, a password or the value of an unknown option. */
export interface JdbcProblem {
  /** With an error, the service does not start; with a warning it does. */
  readonly severity: 'error' | 'warning';
  /** The problem: a clause in lower case, without a full stop. */
  readonly message: string;
  /** The suggestion: a complete sentence. */
  readonly hint: string;
}

export const defaultOptions: JdbcOptions = {
  user: undefined,
  password: undefined,
  tls: 'off',
  currentSchema: undefined,
  applicationName: undefined,
  connectTimeout: undefined,
  socketTimeout: undefined,
  sessions: true,
  pipelining: true,
  target: 'any',
  shuffled: false,
};

/**
 * Reads `name=value&name=value`. Names are case-insensitive; the last occurrence wins. `isBalanced`: the URL itself requests load
 * balancing.
 */
export function readOptions(
  query: string,
  dialect: DatabaseKind,
  isBalanced: boolean,
  problems: JdbcProblem[],
): JdbcOptions {
  const parsed = readPairs(query, problems);
  const take = (name: string): string | undefined => {
    const value = parsed.get(name.toLowerCase());
    parsed.delete(name.toLowerCase());
    return value?.value;
  };
  /** Reads a time in milliseconds; 0 (the default) means no limit. */
  const time = (name: string, unit: number): number | undefined => {
    const text = take(name);
    if (text === undefined) return undefined;
    if (!/^\d{1,9}$/.test(text)) {
      const unitName = unit === 1 ? 'milliseconds' : 'seconds';
      problems.push({
        severity: 'error',
        message: `the option '${name}' is not a whole number`,
        hint: `Write the ${unitName} as digits.`,
      });
      return undefined;
    }
    return Number(text) === 0 ? undefined : Number(text) * unit;
  };

  // The Java drivers use different units for these options, and the URL follows the Java drivers.
  const unit = dialect === 'postgresql' ? 1000 : 1;
  const loginTimeout = dialect === 'postgresql' ? time('loginTimeout', 1000) : undefined;
  const prepareThreshold = dialect === 'postgresql' ? take('prepareThreshold') : undefined;
  const sessions = prepareThreshold?.trim() !== '0';
  const options: JdbcOptions = {
    user: take('user'),
    password: take('password'),
    tls: describeTls(take, dialect, problems),
    currentSchema: dialect === 'postgresql' ? take('currentSchema') : undefined,
    applicationName: dialect === 'postgresql' ? take('ApplicationName') : undefined,
    connectTimeout: time('connectTimeout', unit) ?? loginTimeout,
    socketTimeout: time('socketTimeout', unit),
    sessions,
    pipelining: sessions && take('pipelining')?.trim().toLowerCase() !== 'false',
    target: describeTarget(take('targetServerType'), problems),
    shuffled: isOn(take('loadBalanceHosts')) || isBalanced,
  };
  if (!options.sessions && options.currentSchema !== undefined) {
    problems.push({
      severity: 'error',
      message:
        "'currentSchema' cannot be used with 'prepareThreshold=0': a pooler keeps no session that would remember it",
      hint: "Write the schema before the tables' names, or set it for the user: ALTER ROLE … SET search_path TO ….",
    });
  }
  for (const [key, { name, value }] of parsed) {
    const problem = Object.hasOwn(ordinaryOptions, key) ? ordinaryOptions[key]?.(value) : ignored(name);
    if (problem !== undefined) problems.push({ severity: 'warning', ...problem });
  }
  return options;
}

function ignored(name: string): Omit<JdbcProblem, 'severity'> {
  // A malformed name can be the rest of an unencoded password, so only plausible names are repeated.
  const which = /^[\w.]{1,64}$/.test(name) ? `the option '${name}'` : 'an option with a malformed name';
  return {
    message: `${which} is ignored`,
    hint: 'Remove it: it has no effect.',
  };
}

/** The problem with a string that `decodeURIComponent` rejects. */
export function wrongEncoding(text: string, what: string): Omit<JdbcProblem, 'severity'> {
  return /%(?![\da-f]{2})/i.test(text)
    ? {
        message: `a '%' in ${what} is not followed by two hexadecimal digits`,
        hint: "Write '%25' for a percent sign.",
      }
    : {
        message: `the bytes that ${what} writes with '%' are not UTF-8`,
        hint: "Write each character as its bytes in UTF-8, and '%25' for a percent sign.",
      };
}

interface ParsedPairs {
  readonly name: string;
  readonly value: string;
}

function readPairs(query: string, problems: JdbcProblem[]): Map<string, ParsedPairs> {
  const pairs = new Map<string, ParsedPairs>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    try {
      const value = equals === -1 ? '' : decodeURIComponent(pair.slice(equals + 1));
      pairs.set(name.toLowerCase(), { name, value });
    } catch {
      problems.push({ severity: 'error', ...wrongEncoding(pair, 'an option') });
    }
  }
  return pairs;
}

/**
 * `prefer` and `allow` let the driver choose. Here they mean no encryption, because encryption that a man in the middle can disable
 * protects nothing. Use `require` or stricter modes to encrypt.
 */
const modes = new Map<string, Tls>([
  ['disable', 'off'],
  ['disabled', 'off'],
  ['allow', 'off'],
  ['prefer', 'off'],
  ['preferred', 'off'],
  ['require', 'encrypt'],
  ['required', 'encrypt'],
  ['trust', 'encrypt'],
  ['verify-ca', 'verify-ca'],
  ['verify_ca', 'verify-ca'],
  ['verify-full', 'verify-full'],
  ['verify_full', 'verify-full'],
  ['verify_identity', 'verify-full'],
]);

function describeTarget(written: string | undefined, problems: JdbcProblem[]): TargetServer {
  const target = targetServers.get(written?.toLowerCase() ?? 'any');
  if (target !== undefined) return target;
  problems.push({
    severity: 'error',
    message: "the option 'targetServerType' has an unknown value",
    hint: 'Write any, primary, secondary, preferPrimary or preferSecondary.',
  });
  return 'any';
}

/** Reads the encryption options. `sslmode` overrides the older options. */
function describeTls(
  take: (name: string) => string | undefined,
  dialect: DatabaseKind,
  problems: JdbcProblem[],
): Tls {
  const mode = take('sslmode');
  const ssl = isOn(take('ssl'));
  const useSsl = isOn(take('useSSL'));
  const requireSsl = isOn(take('requireSSL'));
  const verify = isOn(take('verifyServerCertificate'));
  const factory = take('sslfactory');
  if (factory !== undefined && !/NonValidatingFactory$/.test(factory)) {
    problems.push({
      severity: 'warning',
      message: "the option 'sslfactory' is ignored",
      hint: 'Pass certificates of your own authority to Node: NODE_EXTRA_CA_CERTS=<file>.',
    });
  }
  if (mode !== undefined) {
    const tls = modes.get(mode.toLowerCase());
    if (tls !== undefined) return tls;
    problems.push({
      severity: 'error',
      message: "the option 'sslmode' has an unknown value",
      hint: 'Write disable, allow, prefer, require, verify-ca or verify-full.',
    });
    return 'off';
  }
  // For PostgreSQL's JDBC driver, `ssl=true` means verify-full unless another option trusts all servers.
  if (ssl && dialect === 'postgresql')
    return factory?.endsWith('NonValidatingFactory') === true ? 'encrypt' : 'verify-full';
  if (ssl || useSsl || requireSsl) return verify ? 'verify-full' : 'encrypt';
  return 'off';
}

/** `ssl` without a value means `ssl=true`. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && (value === '' || value.toLowerCase() === 'true');
}

type Warning = Omit<JdbcProblem, 'severity'>;

/** The problem with the value; undefined if the value requests the default behavior. */
type Judge = (value: string) => Warning | undefined;

/** The check for each option, by lower-case name. */
const ordinaryOptions: Readonly<Record<string, Judge>> = {
  servertimezone: timeZone('serverTimezone'),
  connectiontimezone: timeZone('connectionTimeZone'),
  timezone: timeZone('timezone'),
  forceconnectiontimezonetosession: () => undefined,
  uselegacydatetimecode: () => undefined,
  usejdbccomplianttimezoneshift: () => undefined,
  characterencoding: only(
    'characterEncoding',
    ['utf8', 'utf-8', 'utf8mb4'],
    'Strings are always sent and read as UTF-8.',
  ),
  charset: only('charset', ['utf8', 'utf-8', 'utf8mb4'], 'Strings are always sent and read as UTF-8.'),
  useunicode: only('useUnicode', ['true', 'yes'], 'Strings are always sent and read as UTF-8.'),
  allowpublickeyretrieval: only(
    'allowPublicKeyRetrieval',
    ['true'],
    'The key of the server is asked for where the log-in needs it; sslmode=verify-full keeps other servers from responding.',
  ),
  autoreconnect: only('autoReconnect', ['true'], 'Lost connections are always replaced.'),
  tcpkeepalive: only('tcpKeepAlive', ['true'], 'Connections are always kept alive.'),
  useserverprepstmts: only('useServerPrepStmts', ['true'], 'Statements are always prepared on the server.'),
  cacheprepstmts: only('cachePrepStmts', ['true'], 'Prepared statements are always kept.'),
  preparethreshold: () => undefined,
  stringtype: only('stringtype', ['unspecified'], 'The database always decides which type a value has.'),
  tinyint1isbit: only('tinyInt1isBit', ['true'], 'TINYINT(1) is always true or false.'),
  yearisdatetype: only('yearIsDateType', ['false'], 'YEAR is always a number.'),
  useaffectedrows: only(
    'useAffectedRows',
    ['false'],
    'affected_rows always counts the rows that were found, changed or not.',
  ),
  allowmultiqueries: only('allowMultiQueries', ['false'], 'A query is always one statement.'),
};

function only(name: string, values: readonly string[], what: string): Judge {
  return (value) =>
    values.includes(value.toLowerCase())
      ? undefined
      : { message: `the option '${name}' has no effect with this value`, hint: what };
}

const utc = wordSet('utc gmt z etc/utc etc/gmt +00:00 +0 +0:00 utc+0 gmt+0 zulu');

/** Sessions always use UTC, so that results are the same on every machine. */
function timeZone(name: string): Judge {
  return (value) =>
    utc.has(value.toLowerCase())
      ? undefined
      : {
          message: `the option '${name}' names another time zone than UTC and is ignored`,
          hint: 'The service always talks to the database in UTC: timestamps with a zone are returned in UTC, those without one as they are stored, and now() in SQL is UTC.',
        };
}

/** Options with values that are never secret. */
export const publicUrlOptions: readonly string[] = [
  ...['sslmode', 'ssl', 'useSSL', 'requireSSL', 'verifyServerCertificate', 'currentSchema'],
  ...['connectTimeout', 'loginTimeout', 'socketTimeout', 'ApplicationName', 'prepareThreshold', 'pipelining'],
  ...['serverTimezone', 'connectionTimeZone', 'targetServerType', 'loadBalanceHosts'],
];

/** All supported options. */
export const urlOptions: readonly string[] = ['user', 'password', ...publicUrlOptions];
