/** The options of JDBC database URLs: those that are understood, and a warning for every other one (decisions 5.9). */
import type { JdbcProblem } from './jdbc-problem.js';
import type { DatabaseKind } from './database-kind.js';
import { describeTls, type Tls } from './jdbc-tls.js';
import { ordinaryOptions } from './jdbc-ordinary.js';

export type { Tls } from './jdbc-tls.js';

/** What the options ask for; times in milliseconds, undefined where nothing is said. */
export interface JdbcOptions {
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly tls: Tls;
  /** PostgreSQL: the search path, as it is written (`currentSchema`). */
  readonly currentSchema: string | undefined;
  readonly applicationName: string | undefined;
  /** How long a new connection may take. */
  readonly connectTimeout: number | undefined;
  /** How long a statement may go without an answer. */
  readonly socketTimeout: number | undefined;
  /** False (`prepareThreshold=0`): a pooler in transaction mode stands between; nothing may be kept in a session. */
  readonly sessions: boolean;
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
};

/** Reads `name=value&name=value`; the names in any case, the last one of a name wins. */
export function readOptions(query: string, dialect: DatabaseKind, problems: JdbcProblem[]): JdbcOptions {
  const given = readPairs(query, problems);
  const take = (name: string): string | undefined => {
    const value = given.get(name.toLowerCase());
    given.delete(name.toLowerCase());
    return value?.value;
  };
  /** Milliseconds; 0 means without a limit, which is the default. */
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

  // The drivers of Java count these in different units, and so must we: the URL is theirs.
  const unit = dialect === 'postgresql' ? 1000 : 1;
  const loginTimeout = dialect === 'postgresql' ? time('loginTimeout', 1000) : undefined;
  const prepareThreshold = dialect === 'postgresql' ? take('prepareThreshold') : undefined;
  const options: JdbcOptions = {
    user: take('user'),
    password: take('password'),
    tls: describeTls(take, dialect, problems),
    currentSchema: dialect === 'postgresql' ? take('currentSchema') : undefined,
    applicationName: dialect === 'postgresql' ? take('ApplicationName') : undefined,
    connectTimeout: time('connectTimeout', unit) ?? loginTimeout,
    socketTimeout: time('socketTimeout', unit),
    sessions: prepareThreshold?.trim() !== '0',
  };
  if (!options.sessions && options.currentSchema !== undefined) {
    problems.push({
      severity: 'error',
      message:
        "'currentSchema' cannot be used with 'prepareThreshold=0': a pooler keeps no session that would remember it",
      hint: "Write the schema before the tables' names, or set it for the user: ALTER ROLE … SET search_path TO ….",
    });
  }
  for (const [key, { name, value }] of given) {
    const problem = Object.hasOwn(ordinaryOptions, key) ? ordinaryOptions[key]?.(value) : ignored(name);
    if (problem !== undefined) problems.push({ severity: 'warning', ...problem });
  }
  return options;
}

function ignored(name: string): Omit<JdbcProblem, 'severity'> {
  // A name may be the rest of a password that was not encoded, so only what looks like a name is repeated.
  const which = /^[\w.]{1,64}$/.test(name) ? `the option '${name}'` : 'an option with a malformed name';
  return {
    message: `${which} is ignored`,
    hint: 'Leave it out: it has no effect.',
  };
}

interface Given {
  readonly name: string;
  readonly value: string;
}

function readPairs(query: string, problems: JdbcProblem[]): Map<string, Given> {
  const pairs = new Map<string, Given>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    try {
      const value = equals === -1 ? '' : decodeURIComponent(pair.slice(equals + 1));
      pairs.set(name.toLowerCase(), { name, value });
    } catch {
      const message = "an option holds a '%' that begins no percent-encoded character";
      problems.push({ severity: 'error', message, hint: "Write '%25' for a percent sign." });
    }
  }
  return pairs;
}
