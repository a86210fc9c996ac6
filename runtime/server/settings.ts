/** The settings of the service: environment variables, then the `.env` file, then the defaults. */
import { Environment, StartError, type SettingNames, type SettingsReader } from './environment.js';
import { originsIn } from '../http/page-origin.js';
import type { HttpLimits } from '../http/route.js';
import { logLevels, type LogLevel, type LogFormat } from './log.js';
import { upperSnake } from './environment-reference.js';

/** Times are milliseconds, sizes are bytes. */
export interface Settings extends HttpLimits {
  /** PORT; 0 is any free port. */
  readonly port: number;
  /** HOST; without it the service listens on every address, IPv6 and IPv4. */
  readonly host: string | undefined;
  /** LOG_LEVEL. */
  readonly logLevel: LogLevel;
  /** SHUTDOWN_DELAY: time in which a stopping service still accepts connections, until load balancers know. */
  readonly shutdownDelay: number;
  /** SHUTDOWN_TIMEOUT: time for requests in flight after that. */
  readonly shutdownTimeout: number;
  /** LOOP_LIMIT: maximum elements of LIST(n). */
  readonly loopLimit: number;
  /** LIST_MEMORY: maximum bytes of the lists that one call builds. */
  readonly listMemory: number;
  /** SCHEDULE: false if timers are off. */
  readonly schedule: boolean;
  /** SCHEDULE_LEDGER: the datasource in which several instances claim ticks. */
  readonly scheduleLedger: string | undefined;
  /** SCHEDULE_TIMEOUT: time limit of a timed operation; 0 means no limit. Every step has its own limit. */
  readonly scheduleTimeout: number;
  /** LICENCE. */
  readonly licence: string | undefined;
  /** MANAGEMENT_PORT: the port of health and metrics; undefined if not set, 0 is any free port. */
  readonly managementPort: number | undefined;
  /** MANAGEMENT_HOST; without it that of the service. */
  readonly managementHost: string | undefined;
  /** LOG_FORMAT: `auto` is text on a terminal, else JSON. */
  readonly logFormat: LogFormat;
  /** LOG_REQUESTS: requests that are logged at level info: all, failed ones (status 400 and above), or none. */
  readonly logRequests: LogRequests;
  /** CORS_ORIGIN: origins whose pages may call the service; `*` alone means all. */
  readonly corsOrigins: readonly string[];
  /** COMPRESSION. */
  readonly compression: boolean;
  /** WORKERS: number of processes. */
  readonly workers: number;
  /** By the configured name of the datasource. */
  readonly datasources: ReadonlyMap<string, DatasourceSettings>;
  /** Values that must not be logged. */
  readonly secrets: readonly string[];
  /** The names of settings that have no effect are logged at start. */
  readonly names: SettingNames;
}

/** The values of DATASOURCE_<NAME>_URL, _REPLICA_URL, _USER, _PASSWORD, _POOL_MAX and _HEADER_<HEADER>. */
export interface DatasourceSettings {
  /** Empty if it is not set, which a datasource may allow. */
  readonly url: string;
  /** The replica of a database, for READs of requests that change nothing. */
  readonly replicaUrl?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly poolMax?: number | undefined;
  /** POOL_WAIT: milliseconds that a statement may wait for a connection. */
  readonly poolWait?: number | undefined;
  /** ROW_LIMIT and RESULT_LIMIT: maximum rows and bytes of a result. */
  readonly rowLimit?: number | undefined;
  readonly resultLimit?: number | undefined;
  /** Headers of every request to a third-party API. */
  readonly header?: Readonly<Record<string, string>> | undefined;
  /** RESPONSE_LIMIT: maximum bytes of a third-party API's response. */
  readonly responseLimit: number;
}

/** Facts about a datasource that the settings need. */
export interface DatasourceNeeds {
  /** As configured. */
  readonly name: string;
  /** False if its url may be missing. */
  readonly needsUrl?: boolean;
  /** Names of headers whose values are settings. */
  readonly header?: readonly string[];
  /** Reads settings that few datasources have. Errors are added to the problems of the environment. */
  readSettings?(environment: Environment): void;
}

/** The sources of settings. */
export interface SettingsSource {
  /** Environment variables. Their values are used as they are. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The content of the `.env` file. */
  readonly envFile?: string;
  readonly datasources?: readonly DatasourceNeeds[];
  readonly authentications?: readonly SettingsReader[];
  readonly env?: SettingsReader | undefined;
}

const minute = 60_000;
const mebibyte = 1024 * 1024;

/** Reads all settings. Throws a StartError that names every problem. */
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
    compression: environment.oneOf('COMPRESSION', ['on', 'off'], 'off') === 'on',
    workers: environment.integer('WORKERS', 1, 1, 256),
    licence: environment.text('LICENCE', 'the field licence of the settings') || undefined,
    datasources: new Map(datasources.map((needs) => [needs.name, readDatasource(environment, needs)])),
    secrets: environment.hidden,
    names: environment.settingNames,
  };
  if (settings.port !== 0 && settings.port === settings.managementPort)
    environment.problems.push('MANAGEMENT_PORT is PORT: choose another one');
  if (environment.problems.length > 0) throw new StartError(environment.problems);
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
  // Unresolved references have been reported.
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

/** The name after the host: `jdbc:postgresql://localhost:5432/news?ssl=true`. */
function databaseOf(url: string | undefined): string | undefined {
  return /^jdbc:[^/]*\/\/[^/?#]*\/([^?#;&]+)/.exec(url ?? '')?.[1];
}

/** Which requests are logged. */
export type LogRequests = 'off' | 'errors' | 'on';

/** An origin as browsers write it: no path, and no default port. */
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
