/** Parses the JDBC URL of a database when the service starts. `apikiln check` explains errors in URLs. */

/** The supported database systems; `mysql` includes MariaDB. */
export type DatabaseKind = 'postgresql' | 'mysql';

/**
 * `off`: not encrypted. `encrypt`: encrypted, without verifying the server. `verify-ca`: the certificate must be issued by an authority
 * trusted by this machine. `verify-full`: the certificate must also match the host name. Node reads additional authorities from
 * NODE_EXTRA_CA_CERTS.
 */
export type Tls = 'off' | 'encrypt' | 'verify-ca' | 'verify-full';

/** The kind of server to use if there are several hosts. `preferPrimary` and `preferSecondary` fall back to the other kind. */
export type TargetServer = 'any' | 'primary' | 'secondary' | 'preferPrimary' | 'preferSecondary';

/** The address of a server. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

/** The parsed options of a URL. Times are in milliseconds; undefined means that an option is missing. */
export interface JdbcOptions {
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly tls: Tls;
  /** The PostgreSQL search path, as written (`currentSchema`). */
  readonly currentSchema: string | undefined;
  readonly applicationName: string | undefined;
  /** Maximum milliseconds for opening a connection. */
  readonly connectTimeout: number | undefined;
  /** Maximum milliseconds that a statement waits for a response. */
  readonly socketTimeout: number | undefined;
  /** False (`prepareThreshold=0`) for a pooler in transaction mode: sessions must not keep state. */
  readonly sessions: boolean;
  /**
   * False (`pipelining=false`, or sessions disabled) to send each statement only after the result of the previous statement on its
   * connection.
   */
  readonly pipelining: boolean;
  readonly target: TargetServer;
  /** Whether connections are distributed over the hosts (`loadBalanceHosts=true`, `loadbalance:`). */
  readonly shuffled: boolean;
}

export interface JdbcUrl {
  readonly dialect: DatabaseKind;
  /** One or more hosts, in the order in which they are tried. */
  readonly hosts: readonly Host[];
  /** The database; undefined if the server chooses it (on PostgreSQL, the database with the name of the user). */
  readonly database: string | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly options: JdbcOptions;
  /** Names of options that have no effect. */
  readonly ignored: readonly string[];
}

/** A host name, an IPv4 address, or an IPv6 address in brackets; then an optional port. */
const server = String.raw`(?:\[[0-9a-f:.]+(?:%[\w.-]+)?\]|[^[\]:,()=\s/]*)(?::\d*)?`;

/** A JDBC URL. A password can contain unencoded `@` or `/`; it ends at the last `@`. */
const form = new RegExp(
  String.raw`^jdbc:(postgresql|mysql|mariadb):(?:(sequential:|failover:|loadbalance:)?//(?:(.*)@)?(${server}(?:,${server})*)(?:/([^/#]*))?|/?([^:@/#]*))$`,
  'is',
);

/** The URL form used by hosting platforms: `postgres://user:password@host:5432/database?sslmode=require`. */
const otherForm = /^(postgres|postgresql|mysql2?|mariadb):\/\//i;

/** Converts that form to a JDBC URL. Hyphens and underscores are removed from option names. */
function jdbcOf(url: string): string {
  const [start, scheme = ''] = otherForm.exec(url) ?? [];
  if (start === undefined) return url;
  const [address = '', ...options] = url.slice(start.length).split('?');
  const named = options
    .join('?')
    .split('&')
    .map((option) => option.replace(/^[^=]*/, (name) => name.replaceAll(/[-_]/g, '')));
  const kind = scheme.toLowerCase().startsWith('postgres') ? 'postgresql' : 'mysql';
  return `jdbc:${kind}://${address}${options.length === 0 ? '' : `?${named.join('&')}`}`;
}

/** Parses a JDBC URL, or a URL of the form `postgres://…`. Throws an Error whose message is part of a sentence, without secrets. */
export function readJdbcUrl(url: string): JdbcUrl {
  const text = jdbcOf(url.trim());
  const query = text.includes('?') ? text.indexOf('?') : text.length;
  const [whole, scheme = '', mode, account, servers, path, plainPath] = form.exec(text.slice(0, query)) ?? [];
  const dialect = scheme.toLowerCase() === 'postgresql' ? 'postgresql' : 'mysql';
  const hosts = (servers ?? '').split(',').map((text) => hostOf(text, dialect));
  // Only the PostgreSQL driver has a default address for URLs without `//`, and only the other drivers have modes.
  const isKnown =
    servers === undefined ? dialect === 'postgresql' : mode === undefined || dialect === 'mysql';
  const isNamed = hosts.length === 1 || hosts.every(({ host }) => host !== '');
  if (whole === undefined || !isKnown || !isNamed || hosts.some(({ port }) => port < 1 || port > 65_535))
    throw new Error(
      'it is not of the form jdbc:postgresql://host:5432/database or jdbc:mysql://host:3306/database',
    );
  const options = new Options(text.slice(query + 1));
  const read = options.read(dialect, mode?.toLowerCase() === 'loadbalance:');
  const [user, password] = accountOf(account);
  return {
    dialect,
    hosts: hosts.map(({ host, port }) => ({ host: host || 'localhost', port })),
    database: decoded(path ?? plainPath ?? '') || undefined,
    user: user ?? read.user,
    password: password ?? read.password,
    options: read,
    ignored: options.ignored,
  };
}

/** An encoded host name, or an IPv6 address in brackets, optionally with a zone after a percent sign; then the port. */
function hostOf(text: string, dialect: DatabaseKind): Host {
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*):?(.*)$/s.exec(text) ?? [];
  return {
    host: host.startsWith('[') ? host.slice(1, -1) : decoded(host),
    port: Number(port || (dialect === 'postgresql' ? 5432 : 3306)),
  };
}

/** Splits `user` or `user:password`. */
function accountOf(text: string | undefined): [user?: string, password?: string] {
  if (text === undefined) return [];
  const colon = text.indexOf(':');
  if (colon === -1) return [decoded(text)];
  return [decoded(text.slice(0, colon)), decoded(text.slice(colon + 1))];
}

/** Removes percent-encoding; `+` stays a plus sign. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("a '%' in it is not followed by two hexadecimal digits");
  }
}

const modes: ReadonlyMap<string, Tls> = new Map([
  ...['disable', 'disabled', 'allow', 'prefer', 'preferred'].map((mode) => [mode, 'off'] as const),
  ...['require', 'required', 'trust'].map((mode) => [mode, 'encrypt'] as const),
  ...['verify-ca', 'verify_ca'].map((mode) => [mode, 'verify-ca'] as const),
  ...['verify-full', 'verify_full', 'verify_identity'].map((mode) => [mode, 'verify-full'] as const),
]);

/** Values of the target server option, in any letter case, including names from older versions of the PostgreSQL driver. */
export const targetServers: ReadonlyMap<string, TargetServer> = new Map([
  ...(['any', 'primary', 'secondary', 'preferPrimary', 'preferSecondary'] as const).map(
    (target) => [target.toLowerCase(), target] as const,
  ),
  ['master', 'primary'],
  ['slave', 'secondary'],
  ['preferslave', 'preferSecondary'],
]);

/** Options of the Java drivers that request default behaviour, or do not apply here. The compiler also checks their values. */
export const harmlessOptions: ReadonlySet<string> = new Set(
  (
    'servertimezone connectiontimezone timezone forceconnectiontimezonetosession uselegacydatetimecode usejdbccomplianttimezoneshift ' +
    'characterencoding charset useunicode allowpublickeyretrieval autoreconnect tcpkeepalive useserverprepstmts cacheprepstmts ' +
    'preparethreshold stringtype tinyint1isbit yearisdatetype useaffectedrows allowmultiqueries'
  ).split(' '),
);

/** Options in the form `name=value&name=value`. Names are case-insensitive; the last value wins if a name is repeated. */
class Options {
  private readonly values = new Map<string, string>();
  private readonly names = new Map<string, string>();

  constructor(query: string) {
    for (const pair of query.split('&')) {
      if (pair === '') continue;
      const [name = '', ...value] = pair.split('=');
      this.names.set(name.toLowerCase(), name);
      this.values.set(name.toLowerCase(), decoded(value.join('=')));
    }
  }

  /** `isBalanced`: whether the URL scheme requests load balancing. */
  read(dialect: DatabaseKind, isBalanced: boolean): JdbcOptions {
    const isPostgres = dialect === 'postgresql';
    // The Java drivers use different units for these options, and the URL follows their rules.
    const unit = isPostgres ? 1000 : 1;
    const loginTimeout = isPostgres ? this.time('logintimeout', 1000) : undefined;
    const sessions = !isPostgres || this.take('preparethreshold')?.trim() !== '0';
    const options = {
      user: this.take('user'),
      password: this.take('password'),
      tls: this.tls(isPostgres),
      currentSchema: isPostgres ? this.take('currentschema') : undefined,
      applicationName: isPostgres ? this.take('applicationname') : undefined,
      connectTimeout: this.time('connecttimeout', unit) ?? loginTimeout,
      socketTimeout: this.time('sockettimeout', unit),
      sessions,
      pipelining: sessions && this.take('pipelining')?.trim().toLowerCase() !== 'false',
      target: this.target(),
      shuffled: isOn(this.take('loadbalancehosts')) || isBalanced,
    };
    if (!sessions && options.currentSchema !== undefined)
      throw new Error("'currentSchema' cannot be used with 'prepareThreshold=0', which keeps no session");
    return options;
  }

  /** Names of unused options. A name may be the rest of an unencoded password, so only words that look like option names are returned. */
  get ignored(): string[] {
    return [...this.values.keys()]
      .filter((name) => !harmlessOptions.has(name))
      .map((name) =>
        /^[\w.]{1,64}$/.test(name) ? (this.names.get(name) ?? name) : 'one with a malformed name',
      );
  }

  private take(name: string): string | undefined {
    const value = this.values.get(name);
    this.values.delete(name);
    return value;
  }

  /** An option in milliseconds; 0 means unlimited, which is the default. */
  private time(name: string, unit: number): number | undefined {
    const written = this.names.get(name) ?? name;
    const text = this.take(name);
    if (text !== undefined && !/^\d{1,9}$/.test(text)) throw new Error(`'${written}' is not a whole number`);
    return Number(text ?? 0) === 0 ? undefined : Number(text) * unit;
  }

  private target(): TargetServer {
    const target = targetServers.get(this.take('targetservertype')?.toLowerCase() ?? 'any');
    if (target === undefined) throw new Error("'targetServerType' has an unknown value");
    return target;
  }

  /** `sslmode` takes precedence over the older options. */
  private tls(isPostgres: boolean): Tls {
    const mode = this.take('sslmode');
    const [ssl, useSsl, requireSsl, verify] = ['ssl', 'usessl', 'requiressl', 'verifyservercertificate'].map(
      (name) => isOn(this.take(name)),
    );
    const trustsAll = this.take('sslfactory')?.endsWith('NonValidatingFactory') === true;
    if (mode !== undefined) {
      const known = modes.get(mode.toLowerCase());
      if (known === undefined) throw new Error("'sslmode' has an unknown value");
      return known;
    }
    // In the PostgreSQL driver, `ssl=true` means verify-full, unless another option trusts all servers.
    if (ssl === true && isPostgres) return trustsAll ? 'encrypt' : 'verify-full';
    if (ssl !== true && useSsl !== true && requireSsl !== true) return 'off';
    return verify === true ? 'verify-full' : 'encrypt';
  }
}

/** An option without a value, such as `ssl`, means `ssl=true`. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && (value === '' || value.toLowerCase() === 'true');
}
