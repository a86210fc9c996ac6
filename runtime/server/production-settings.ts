/** The settings for running the service: management, logs, CORS, compression, processes. All of it is off by default. */
import type { Environment } from './environment.js';
import type { LogFormat } from './log.js';

export interface ProductionSettings {
  /** MANAGEMENT_PORT: where health and metrics are; undefined when nobody asks for them. 0 takes any free one. */
  readonly managementPort: number | undefined;
  /** MANAGEMENT_HOST; that of the service when it is not set. */
  readonly managementHost: string | undefined;
  /** LOG_FORMAT: `auto` is text on a terminal, else JSON. */
  readonly logFormat: LogFormat;
  /** LOG_REQUESTS: which requests get an entry at level info: all, those that failed (status 400 and above), or none. */
  readonly logRequests: LogRequests;
  /** CORS_ORIGIN: pages of these origins may call the service; `*` stands alone for all. */
  readonly corsOrigins: readonly string[];
  /** COMPRESSION. */
  readonly compression: boolean;
  /** WORKERS: how many processes answer requests. */
  readonly workers: number;
}

/** Which requests are logged. */
export type LogRequests = 'off' | 'errors' | 'on';

/** Reads them; what is wrong is added to the problems of the environment. */
export function readProductionSettings(environment: Environment): ProductionSettings {
  const port = environment.integer('MANAGEMENT_PORT', -1, 0, 65_535);
  return {
    managementPort: port === -1 ? undefined : port,
    managementHost: environment.text('MANAGEMENT_HOST') || environment.text('HOST') || undefined,
    logFormat: environment.oneOf('LOG_FORMAT', ['auto', 'json', 'text'], 'auto'),
    logRequests: environment.oneOf('LOG_REQUESTS', ['off', 'errors', 'on'], 'off'),
    corsOrigins: readOrigins(environment),
    compression: environment.oneOf('COMPRESSION', ['on', 'off'], 'off') === 'on',
    workers: environment.integer('WORKERS', 1, 1, 256),
  };
}

/** As browsers write it: no path, and the port only where it is not the usual one. */
const origin = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/;

function readOrigins(environment: Environment): string[] {
  const written = environment.text('CORS_ORIGIN') ?? '';
  const origins = written
    .split(/[\s,]+/)
    .filter((text) => text !== '')
    .map((text) => text.toLowerCase().replace(/^(http:.*):80$|^(https:.*):443$/, '$1$2'));
  const wrong = origins.find((text) => text !== '*' && !origin.test(text));
  if (wrong !== undefined)
    environment.problems.push(
      `CORS_ORIGIN is a list of origins such as https://example.com, without a path; ${JSON.stringify(wrong)} is none`,
    );
  if (origins.includes('*') && origins.length > 1)
    environment.problems.push('CORS_ORIGIN is * for every origin, or a list of some; not both');
  return [...new Set(origins)];
}
