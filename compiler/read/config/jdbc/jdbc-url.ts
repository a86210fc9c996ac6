/** Parses JDBC database URLs and explains errors. At startup, services parse the same URLs with `runtime/sql/jdbc-url.ts`. */
import type { DatabaseKind, Host, JdbcOptions } from '../../../../runtime/sql/jdbc-url.js';
import { defaultOptions, readOptions, wrongEncoding, type JdbcProblem } from './jdbc-options.js';

export type { JdbcProblem } from './jdbc-options.js';

/** A parsed URL. If any problem is an error, the other properties must not be used. */
export interface JdbcUrl {
  /** The kind of database; undefined if the URL does not name a supported one. */
  readonly dialect: DatabaseKind | undefined;
  /** The hosts in the order in which they are tried; at least one unless there is an error. */
  readonly hosts: readonly Host[];
  /** The database name; undefined if the server chooses the database (on PostgreSQL, the one named after the user). */
  readonly database: string | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly options: JdbcOptions;
  /** All problems, in URL order. */
  readonly problems: readonly JdbcProblem[];
}

const driverKinds = new Map<string, DatabaseKind>([
  ['org.postgresql.driver', 'postgresql'],
  ['pg', 'postgresql'],
  ['com.mysql.jdbc.driver', 'mysql'],
  ['com.mysql.cj.jdbc.driver', 'mysql'],
  ['org.mariadb.jdbc.driver', 'mysql'],
  ['mysql2', 'mysql'],
]);

/** The database kind for a `driver` (a JDBC class name, `pg` or `mysql2`, ignoring letter case). */
export function driverDialect(driver: string): DatabaseKind | undefined {
  return driverKinds.get(driver.trim().toLowerCase());
}

const schemes = new Map<string, DatabaseKind>([
  ['postgresql', 'postgresql'],
  ['mysql', 'mysql'],
  ['mariadb', 'mysql'],
]);

const example =
  'jdbc:postgresql://host:5432/database, jdbc:mysql://host:3306/database or jdbc:mariadb://host:3306/database';

/** Parses `jdbc:<kind>:[<mode>:]//[user[:password]@]host[:port][,…]/[database][?name=value&…]` or `jdbc:postgresql:[database][?…]`. */
export function parseJdbcUrl(url: string): JdbcUrl {
  const problems: JdbcProblem[] = [];
  const scheme = /^jdbc:([a-z]+):/i.exec(url.trim());
  const dialect = schemes.get(scheme?.[1]?.toLowerCase() ?? '');
  if (scheme === null || dialect === undefined) {
    error(problems, 'it does not name a supported database', `Write ${example}.`);
    return { ...nowhere, dialect: undefined, options: defaultOptions, problems };
  }

  const written = url.trim().slice(scheme[0].length);
  // Multi-host modes of the MariaDB and MySQL drivers.
  const mode =
    dialect === 'mysql' ? /^(?:sequential|failover|loadbalance):(?=\/\/)/i.exec(written)?.[0] : undefined;
  const rest = written.slice(mode?.length ?? 0);
  const query = rest.indexOf('?');
  const target = readTarget(query === -1 ? rest : rest.slice(0, query), dialect, problems);
  const options = readOptions(
    query === -1 ? '' : rest.slice(query + 1),
    dialect,
    mode?.toLowerCase() === 'loadbalance:',
    problems,
  );
  return {
    ...target,
    dialect,
    user: target.user ?? options.user,
    password: target.password ?? options.password,
    options,
    problems,
  };
}

type Target = Pick<JdbcUrl, 'hosts' | 'database' | 'user' | 'password'>;

const nowhere: Target = { hosts: [], database: undefined, user: undefined, password: undefined };

const defaultPorts = { postgresql: 5432, mysql: 3306 };

/** Parses the part between the scheme and the options. */
function readTarget(text: string, dialect: DatabaseKind, problems: JdbcProblem[]): Target {
  const local = { ...nowhere, hosts: [{ host: 'localhost', port: defaultPorts[dialect] }] };
  if (!text.startsWith('//')) {
    if (dialect === 'postgresql' && !/[:@]/.test(text)) {
      return { ...local, database: readDatabase(text.replace(/^\//, ''), problems) };
    }
    const form = /^[a-z0-9+]+:/i.exec(text)?.[0];
    if (form === undefined || /^[\w.-]+:\d/.test(text))
      error(problems, "missing '//' before the host", `Write // before the host: ${example}.`);
    else
      error(
        problems,
        `URLs of the form '${form}' are not supported`,
        dialect === 'mysql'
          ? "Write nothing there, or sequential:, failover: or loadbalance: before '//'."
          : "Write '//' and the hosts, and targetServerType=… or loadBalanceHosts=true after a '?'.",
      );
    return local;
  }

  const authority = text.slice(2);
  // A user or password can contain an unencoded '@': the last one before the path is the separator.
  const slash = authority.indexOf('/', Math.max(0, authority.lastIndexOf('@')));
  const server = slash === -1 ? authority : authority.slice(0, slash);
  const at = server.lastIndexOf('@');
  const account = at === -1 ? nowhere : readAccount(server.slice(0, at), problems);
  const database = slash === -1 ? undefined : readDatabase(authority.slice(slash + 1), problems);
  return {
    hosts: readHosts(server.slice(at + 1), dialect, problems),
    database,
    user: account.user,
    password: account.password,
  };
}

function readAccount(text: string, problems: JdbcProblem[]): Pick<Target, 'user' | 'password'> {
  const colon = text.indexOf(':');
  return {
    user: decode(colon === -1 ? text : text.slice(0, colon), 'the user', problems),
    password: colon === -1 ? undefined : decode(text.slice(colon + 1), 'the password', problems),
  };
}

function readDatabase(text: string, problems: JdbcProblem[]): string | undefined {
  if (text === '') return undefined;
  const database = decode(text, 'the database name', problems);
  if (/[/#]/.test(text))
    error(problems, "the database name has a '/' or '#' that is not percent-encoded", reservedHint);
  return database;
}

const reservedHint =
  "Write '/', '?', '#', '&', '%' and '@' that belong to a name, user or password percent-encoded, e.g. %2F for '/'.";

const serverPattern = /^(?:\[([0-9a-fA-F:.]+(?:%[\w.-]+)?)\]|([^[\]:,()=\s]*))(?::(.*))?$/;

function readHosts(text: string, dialect: DatabaseKind, problems: JdbcProblem[]): Host[] {
  if (text.includes('(')) {
    error(
      problems,
      'hosts of the form address=(…) are not supported',
      'Write the hosts as host:port,host:port.',
    );
    return [];
  }
  const hosts: Host[] = [];
  const all = text.split(',');
  for (const one of all) {
    const host = readHost(one, dialect, all.length > 1, problems);
    if (host === undefined) return [];
    hosts.push(host);
  }
  return hosts;
}

/** Parses one host; undefined after an error (only the first is reported). */
function readHost(
  text: string,
  dialect: DatabaseKind,
  isOneOfSeveral: boolean,
  problems: JdbcProblem[],
): Host | undefined {
  const match = serverPattern.exec(text);
  if (match === null) {
    // The text may be part of an unencoded password, so it is not repeated.
    error(problems, 'the host is malformed', `${reservedHint} Write an IPv6 address in brackets.`);
    return undefined;
  }
  const [, address, name, portText] = match;
  const port = portText === undefined || portText === '' ? defaultPorts[dialect] : Number(portText);
  if (!/^\d*$/.test(portText ?? '') || port < 1 || port > 65_535) {
    error(problems, 'the port is not a number from 1 to 65535', reservedHint);
    return undefined;
  }
  const host = address ?? decode(name ?? '', 'the host', problems) ?? '';
  if (host === '' && isOneOfSeveral) {
    error(problems, 'one of several hosts is empty', "Write a host before and after each ','.");
    return undefined;
  }
  return { host: host === '' ? 'localhost' : host, port };
}

/** Decodes percent-encoding; `+` remains a plus sign. */
function decode(text: string, what: string, problems: JdbcProblem[]): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    problems.push({ severity: 'error', ...wrongEncoding(text, what) });
    return undefined;
  }
}

function error(problems: JdbcProblem[], message: string, hint: string): void {
  problems.push({ severity: 'error', message, hint });
}
