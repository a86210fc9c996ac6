/** Settings of the service, from environment variables, the `.env` file, and defaults, in this order. */
import { Environment, StartError, type SettingNames, type SettingsReader } from './environment.js';
import { TrustedProxies } from '../http/client-address.js';
import { originsIn } from '../http/page-origin.js';
import type { HttpLimits } from '../http/route.js';
import { logLevels, type LogLevel, type LogFormat } from './log.js';
import { upperSnake } from './environment-reference.js';
import { unreadProblems } from './unread-names.js';

/** Settings of the service. Times are in milliseconds, sizes in bytes. */
export interface Settings extends HttpLimits {
  /** PORT; 0 means any free port. */
  readonly port: number;
  /** HOST; if undefined, the service listens on all IPv6 and IPv4 addresses. */
  readonly host: string | undefined;
  /** LOG_LEVEL. */
  readonly logLevel: LogLevel;
  /** SHUTDOWN_DELAY: time during which a stopping service still accepts connections, until load balancers have noticed. */
  readonly shutdownDelay: number;
  /** SHUTDOWN_TIMEOUT: time limit for requests in flight after SHUTDOWN_DELAY. */
  readonly shutdownTimeout: number;
  /** LOOP_LIMIT: maximum number of elements of LIST(n). */
  readonly loopLimit: number;
  /** LIST_MEMORY: maximum bytes of the lists built by one call. */
  readonly listMemory: number;
  /** SCHEDULE: false if timers are disabled. */
  readonly schedule: boolean;
  /** SCHEDULE_LEDGER: the datasource in which several instances claim ticks. */
  readonly scheduleLedger: string | undefined;
  /** SCHEDULE_TIMEOUT: time limit of a timed operation; 0 means unlimited. Each step has its own limit. */
  readonly scheduleTimeout: number;
  /** LICENCE. */
  readonly licence: string | undefined;
  /** MANAGEMENT_PORT: the port for health and metrics; 0 means any free port. */
  readonly managementPort: number | undefined;
  /** MANAGEMENT_HOST; defaults to HOST. */
  readonly managementHost: string | undefined;
  /** LOG_FORMAT: `auto` means text on a terminal, otherwise JSON. */
  readonly logFormat: LogFormat;
  /** LOG_REQUESTS: requests logged at level info: all, failed requests (status 400 and above), or none. */
  readonly logRequests: LogRequests;
  /** CORS_ORIGIN: origins whose pages may call the service; `*` alone means all. */
  readonly corsOrigins: readonly string[];
  /** TRUSTED_PROXIES: proxies that report the addresses of their clients. */
  readonly trustedProxies: TrustedProxies;
  /** CLIENT_IPV6_BITS: bits of an IPv6 address that are the network of one client. */
  readonly clientBits: number;
  /** COMPRESSION. */
  readonly compression: boolean;
  /** WORKERS: number of processes. */
  readonly workers: number;
  /** Datasource settings, by configured name. */
  readonly datasources: ReadonlyMap<string, DatasourceSettings>;
  /** Values that must not be logged. */
  readonly secrets: readonly string[];
  /** Names of settings without effect, which are logged at start. */
  readonly names: SettingNames;
}

/** The values of DATASOURCE_<NAME>_URL, _REPLICA_URL, _USER, _PASSWORD, _POOL_MAX and _HEADER_<HEADER>. */
export interface DatasourceSettings {
  /** Empty if not set, which some datasources allow. */
  readonly url: string;
  /** The replica of a database, for READs in requests that do not write. */
  readonly replicaUrl?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly poolMax?: number | undefined;
  /** POOL_WAIT: maximum milliseconds that a statement waits for a connection. */
  readonly poolWait?: number | undefined;
  /** ROW_LIMIT and RESULT_LIMIT: maximum rows and bytes of a result. */
  readonly rowLimit?: number | undefined;
  readonly resultLimit?: number | undefined;
  /** Headers added to each request to a third-party API. */
  readonly header?: Readonly<Record<string, string>> | undefined;
  /** RESPONSE_LIMIT: maximum bytes of a third-party API's response. */
  readonly responseLimit: number;
}

/** Properties of a datasource that determine its settings. */
export interface DatasourceNeeds {
  /** The configured name. */
  readonly name: string;
  /** False if the URL is optional. */
  readonly needsUrl?: boolean;
  /** Names of headers whose values are read from settings. */
  readonly header?: readonly string[];
  /** Reads settings of special datasources. Errors are added to the problems of the environment. */
  readSettings?(environment: Environment): void;
}

/** The sources of settings. */
export interface SettingsSource {
  /** Environment variables, used literally. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The content of the `.env` file. */
  readonly envFile?: string;
  readonly datasources?: readonly DatasourceNeeds[];
  readonly authentications?: readonly SettingsReader[];
  readonly env?: SettingsReader | undefined;
}

const minute = 60_000;
const mebibyte = 1024 * 1024;

/** Reads all settings. Throws a StartError that lists all problems. */
export function readSettings({
  variables,
  envFile = '',
  datasources = [],
  authentications = [],
  env,
}: SettingsSource): Settings {
  const environment = new Environment(variables, envFile);
  for (const authentication of authentications) authentication.readSettings(environment);
  env?.readSettings(environment);
  for (const datasource of datasources) datasource.readSettings?.(environment);
  const managementPort = environment.integer('MANAGEMENT_PORT', -1, 0, 65_535);
  const settings: Settings = {
    port: environment.integer('PORT', 8080, 0, 65_535),
    host: environment.text('HOST') || undefined,
    logLevel: environment.oneOf('LOG_LEVEL', logLevels, 'info'),
    requestTimeout: environment.integer('REQUEST_TIMEOUT', 30_000, 1, 60 * minute),
    bodyLimit: environment.integer('BODY_LIMIT', mebibyte, 0, 1024 * mebibyte),
    bodyDepth: environment.integer('BODY_DEPTH', 64, 1, 1000),
    fileLimit: environment.integer('FILE_LIMIT', 10 * mebibyte, 0, 1024 * mebibyte),
    partLimit: environment.integer('PART_LIMIT', 20, 1, 10_000),
    uploadMemory: environment.integer('UPLOAD_MEMORY', 256 * mebibyte, mebibyte, 1024 * 1024 * mebibyte),
    headerLimit: environment.integer('HEADER_LIMIT', 16 * 1024, 1024, mebibyte),
    sendTimeout: environment.integer('SEND_TIMEOUT', 30_000, 1, 60 * minute),
    shutdownDelay: environment.integer('SHUTDOWN_DELAY', 0, 0, 60 * minute),
    shutdownTimeout: environment.integer('SHUTDOWN_TIMEOUT', 10_000, 0, 60 * minute),
    loopLimit: environment.integer('LOOP_LIMIT', 100_000, 0, 100_000_000),
    listMemory: environment.integer('LIST_MEMORY', 64 * mebibyte, mebibyte, 1024 * 1024 * mebibyte),
    schedule: environment.oneOf('SCHEDULE', ['on', 'off'], 'on') === 'on',
    scheduleLedger: environment.text('SCHEDULE_LEDGER') || undefined,
    scheduleTimeout: environment.integer('SCHEDULE_TIMEOUT', 0, 0, 24 * 60 * minute),
    managementPort: managementPort === -1 ? undefined : managementPort,
    managementHost: environment.text('MANAGEMENT_HOST') || environment.text('HOST') || undefined,
    logFormat: environment.oneOf('LOG_FORMAT', ['auto', 'json', 'text'], 'auto'),
    logRequests: environment.oneOf('LOG_REQUESTS', ['off', 'errors', 'on'], 'off'),
    corsOrigins: readOrigins(environment),
    trustedProxies: readProxies(environment),
    clientBits: environment.integer('CLIENT_IPV6_BITS', 64, 32, 64),
    compression: environment.oneOf('COMPRESSION', ['on', 'off'], 'off') === 'on',
    workers: environment.integer('WORKERS', 1, 1, 256),
    licence: environment.text('LICENCE', 'the field licence of the settings') || undefined,
    datasources: new Map(datasources.map((needs) => [needs.name, readDatasource(environment, needs)])),
    secrets: environment.hidden,
    names: environment.settingNames,
  };
  if (settings.port !== 0 && settings.port === settings.managementPort)
    environment.problems.push(
      `PORT and MANAGEMENT_PORT are both ${settings.port}: set one of them to another port (the Dockerfile of the service sets MANAGEMENT_PORT to 8081)`,
    );
  // A setting may be missing because its name is misspelt.
  if (environment.problems.length > 0)
    throw new StartError([...environment.problems, ...unreadProblems(settings.names)]);
  return settings;
}

function readDatasource(
  environment: Environment,
  { name, needsUrl = true, header = [] }: DatasourceNeeds,
): DatasourceSettings {
  const prefix = `DATASOURCE_${upperSnake(name)}`;
  const field = (field: string) => `the field ${field} of the datasource ${name}`;
  const before = environment.problems.length;
  const url = environment.secret(`${prefix}_URL`, field('url'));
  // Unresolved references have already been reported.
  if (needsUrl && (url ?? '') === '' && environment.problems.length === before)
    environment.problems.push(`${prefix}_URL is not set: it is ${field('url')}`);
  const replicaUrl = environment.secret(`${prefix}_REPLICA_URL`) || undefined;
  const user = environment.text(`${prefix}_USER`, field('user'));
  const password = environment.secret(`${prefix}_PASSWORD`, field('password'));
  for (const word of [name, user, databaseOf(url)]) environment.addName(word);
  const poolMax = environment.integer(`${prefix}_POOL_MAX`, 0, 0, 10_000);
  const headers = header.flatMap((key) => {
    const variable = `${prefix}_HEADER_${upperSnake(key)}`;
    const value = environment.secret(variable, `the header ${key} of the datasource ${name}`);
    if (value === undefined) environment.problems.push(`${variable} is not set: it is ${field('header')}`);
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    url: url ?? '',
    replicaUrl,
    user,
    password,
    poolMax: poolMax === 0 ? undefined : poolMax,
    header: headers.length === 0 ? undefined : Object.fromEntries(headers),
    poolWait: environment.integer('POOL_WAIT', 2_000, 1, 60 * minute),
    rowLimit: environment.integer('ROW_LIMIT', 100_000, 1, 100_000_000),
    resultLimit: environment.integer('RESULT_LIMIT', 64 * mebibyte, 1024, 1024 * mebibyte),
    responseLimit: environment.integer('RESPONSE_LIMIT', 10 * mebibyte, 1, 1024 * mebibyte),
  };
}

/** The database name in a JDBC URL: `news` in `jdbc:postgresql://localhost:5432/news?ssl=true`. */
function databaseOf(url: string | undefined): string | undefined {
  return /^jdbc:[^/]*\/\/[^/?#]*\/([^?#;&]+)/.exec(url ?? '')?.[1];
}

/** Which requests are logged. */
export type LogRequests = 'off' | 'errors' | 'on';

/** An origin as sent by browsers: without a path or default port. */
const origin = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/;

function readOrigins(environment: Environment): string[] {
  const origins = originsIn(environment.text('CORS_ORIGIN'));
  const wrong = origins.find((text) => text !== '*' && !origin.test(text));
  if (wrong !== undefined)
    environment.problems.push(
      `CORS_ORIGIN is a list of origins such as https://example.com, without a path; ${JSON.stringify(wrong)} is not an origin`,
    );
  if (origins.includes('*') && origins.length > 1)
    environment.problems.push('CORS_ORIGIN is * for every origin, or a list of some; not both');
  return [...new Set(origins)];
}

function readProxies(environment: Environment): TrustedProxies {
  const proxies = new TrustedProxies();
  for (const written of (environment.text('TRUSTED_PROXIES') ?? '').split(/[\s,]+/)) {
    const problem = written === '' ? undefined : proxies.add(written);
    if (problem !== undefined)
      environment.problems.push(
        `TRUSTED_PROXIES is a list of addresses and networks such as 10.0.0.0/8; ${JSON.stringify(written)} ${problem}`,
      );
  }
  return proxies;
}
