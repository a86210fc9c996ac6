/** Parses the JDBC URL of a database at the start of the service. `apikiln check` explains errors in a URL. */

/** The two kinds of database; MariaDB belongs to mysql. */
export type DatabaseKind = 'postgresql' | 'mysql';

/**
 * `off`: not encrypted. `encrypt`: encrypted, without a check of the server. `verify-ca`: its certificate must be from an authority that
 * this machine trusts. `verify-full`: it must also name the host. Node gets additional authorities from NODE_EXTRA_CA_CERTS.
 */
export type Tls = 'off' | 'encrypt' | 'verify-ca' | 'verify-full';

/** Which of several hosts are used. `preferPrimary` and `preferSecondary` fall back to the other kind. */
export type TargetServer = 'any' | 'primary' | 'secondary' | 'preferPrimary' | 'preferSecondary';

/** The address of a server. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

/** The meaning of the options; times in milliseconds, undefined if an option is missing. */
export interface JdbcOptions {
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly tls: Tls;
  /** PostgreSQL: the search path, as it is written (`currentSchema`). */
  readonly currentSchema: string | undefined;
  readonly applicationName: string | undefined;
  /** Maximum milliseconds to open a connection. */
  readonly connectTimeout: number | undefined;
  /** Maximum milliseconds that a statement may wait for a response. */
  readonly socketTimeout: number | undefined;
  /** False (`prepareThreshold=0`) for a pooler in transaction mode: sessions must not keep any state. */
  readonly sessions: boolean;
  /** False (`pipelining=false`, and without sessions): a statement is only sent after the result of the one before it on its connection. */
  readonly pipelining: boolean;
  readonly target: TargetServer;
  /** Connections are distributed over the hosts (`loadBalanceHosts=true`, `loadbalance:`). */
  readonly shuffled: boolean;
}

export interface JdbcUrl {
  readonly dialect: DatabaseKind;
  /** At least one; in this order they are tried. */
  readonly hosts: readonly Host[];
  /** Undefined if the URL leaves the choice to the server (PostgreSQL: the database named like the user). */
  readonly database: string | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly options: JdbcOptions;
  /** Names of options without an effect. */
  readonly ignored: readonly string[];
}

/** A name, an IPv4 address, or an IPv6 address in brackets; then a port. */
const server = String.raw`(?:\[[0-9a-f:.]+(?:%[\w.-]+)?\]|[^[\]:,()=\s/]*)(?::\d*)?`;

/** A password can contain a bare `@` or `/`: the last `@` ends it. */
const form = new RegExp(
  String.raw`^jdbc:(postgresql|mysql|mariadb):(?:(sequential:|failover:|loadbalance:)?//(?:(.*)@)?(${server}(?:,${server})*)(?:/([^/#]*))?|/?([^:@/#]*))$`,
  'is',
);

/** The form that platforms hand out: `postgres://user:password@host:5432/database?sslmode=require`. */
const otherForm = /^(postgres|postgresql|mysql2?|mariadb):\/\//i;

/** Names of options in that form, as JDBC has them without hyphens and underscores. */
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

/** Also parses URLs in the form of other tools, `postgres://…`. Throws an Error whose message is a part of a sentence, without secrets. */
export function readJdbcUrl(url: string): JdbcUrl {
  const text = jdbcOf(url.trim());
  const query = text.includes('?') ? text.indexOf('?') : text.length;
  const [whole, scheme = '', mode, account, servers, path, plainPath] = form.exec(text.slice(0, query)) ?? [];
  const dialect = scheme.toLowerCase() === 'postgresql' ? 'postgresql' : 'mysql';
  const hosts = (servers ?? '').split(',').map((text) => hostOf(text, dialect));
  // Only PostgreSQL's driver has a default address for URLs without `//`, and only the other drivers have modes.
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

/** An encoded name, or an IPv6 address in brackets, which can have a zone after a percent sign; then the port. */
function hostOf(text: string, dialect: DatabaseKind): Host {
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*):?(.*)$/s.exec(text) ?? [];
  return {
    host: host.startsWith('[') ? host.slice(1, -1) : decoded(host),
    port: Number(port || (dialect === 'postgresql' ? 5432 : 3306)),
  };
}

/** `user` or `user:password`. */
function accountOf(text: string | undefined): [user?: string, password?: string] {
  if (text === undefined) return [];
  const colon = text.indexOf(':');
  if (colon === -1) return [decoded(text)];
  return [decoded(text.slice(0, colon)), decoded(text.slice(colon + 1))];
}

/** Undoes percent-encoding; `+` stays a plus sign. */
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

/** In any letter case, including the names in older versions of PostgreSQL's driver. */
export const targetServers: ReadonlyMap<string, TargetServer> = new Map([
  ...(['any', 'primary', 'secondary', 'preferPrimary', 'preferSecondary'] as const).map(
    (target) => [target.toLowerCase(), target] as const,
  ),
  ['master', 'primary'],
  ['slave', 'secondary'],
  ['preferslave', 'preferSecondary'],
]);

/** Options of Java's drivers that ask for the default behaviour, or have no meaning here. The compiler also checks their values. */
export const harmlessOptions: ReadonlySet<string> = new Set(
  (
    'servertimezone connectiontimezone timezone forceconnectiontimezonetosession uselegacydatetimecode usejdbccomplianttimezoneshift ' +
    'characterencoding charset useunicode allowpublickeyretrieval autoreconnect tcpkeepalive useserverprepstmts cacheprepstmts ' +
    'preparethreshold stringtype tinyint1isbit yearisdatetype useaffectedrows allowmultiqueries'
  ).split(' '),
);

/** `name=value&name=value`. Names have any letter case; if a name is repeated, the last value counts. */
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

  /** `isBalanced`: the URL itself asks for it. */
  read(dialect: DatabaseKind, isBalanced: boolean): JdbcOptions {
    const isPostgres = dialect === 'postgresql';
    // The drivers of Java count these in different units, and so must we: the URL is theirs.
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

  /** Names of unused options. A name can be the rest of an unencoded password, so only words that look like names are repeated. */
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

  /** Milliseconds; 0 means without a limit, which is the default. */
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

  /** `sslmode` has precedence over the older ones. */
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
    // For PostgreSQL's driver `ssl=true` means verify-full, unless another option trusts every server.
    if (ssl === true && isPostgres) return trustsAll ? 'encrypt' : 'verify-full';
    if (ssl !== true && useSsl !== true && requireSsl !== true) return 'off';
    return verify === true ? 'verify-full' : 'encrypt';
  }
}

/** `ssl` alone means `ssl=true`. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && (value === '' || value.toLowerCase() === 'true');
}
