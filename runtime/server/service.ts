/** Starts the service as a process: settings, datasources, HTTP, signals. */
import { readFileSync } from 'node:fs';
import type { SettingsReader } from './environment.js';
import type { Fallback } from '../http/fallback.js';
import type { Router } from '../http/router.js';
import type { TestPage } from '../http/test-page.js';
import { createLog, type Log } from './log.js';
import { loopLimit } from '../handler/loop-limit.js';
import type { ConnectionCounts, Observer } from './observer.js';
import { operationToRun, runOnce } from './run-once.js';
import { serve, type Ready } from './serve.js';
import { readSettings, type DatasourceNeeds, type DatasourceSettings, type Settings } from './settings.js';
import { StartError } from './start-error.js';

/** What the generated modules give to the process. */
export interface Service {
  readonly router: Router;
  readonly datasources?: readonly Datasource[];
  readonly authentications?: readonly SettingsReader[];
  /** The timed operations. */
  readonly schedule?: Schedule;
  /** Where the configuration says `debug: true`. */
  readonly testPage?: TestPage;
  /** The user's own pages; loaded when they are needed, so that the start does not wait for them. */
  readonly app?: () => Promise<Fallback>;
  /** The module with the user's own middleware, which stands before the operations; it need not be there. */
  readonly middleware?: URL;
  /** The file with the settings that no environment variable gives; it need not be there. */
  readonly envFile?: URL;
}

/** What the process does with a datasource; operations see another side of it. */
export interface Datasource extends DatasourceNeeds {
  /**
   * Takes the settings, without connecting, and gives warnings. They, and the message of an Error that it throws, are for
   * the person who starts the service and hold no secret. `warn` takes the warnings of later times.
   */
  open(settings: DatasourceSettings, warn?: (warning: string) => void): readonly string[];
  /** Whether it answers; only where the service cannot be of use without it. Never fails. */
  isReachable?(): Promise<boolean>;
  /** Its connections at this moment. */
  connections?(): ConnectionCounts;
  /** From now on the observer is told of what it does. */
  observe?(observer: Observer): void;
  /** Ends its connections; those in use have until the deadline, in milliseconds of `performance.now()`. */
  close(deadline: number): void | Promise<void>;
}

/** What the process does with the timed operations (decisions 10). */
export interface Schedule {
  /** The operations that have a trigger, as configured. */
  readonly operations: readonly string[];
  /** Takes the settings; nothing ticks yet. Throws a StartError. */
  open(host: ScheduleHost): void;
  start(): void;
  /** No tick any more; resolves when the runs that are going on have ended. Never fails. */
  stop(): Promise<void>;
  /** Runs one of `operations` once; true when all went well. Never fails. */
  run(operation: string): Promise<boolean>;
}

/** What timed operations need of the process. */
export interface ScheduleHost {
  /** Is told of every tick. */
  readonly observer?: Observer | undefined;
  readonly settings: Pick<Settings, 'schedule' | 'scheduleLedger' | 'scheduleTimeout'>;
  readonly datasources: readonly Datasource[];
  readonly log: Log;
}

/**
 * Starts the service, and returns when it listens. What keeps it from starting is one sentence on standard error and exit
 * status 1. SIGTERM and SIGINT stop it with status 0 once the requests in flight are answered; a second one stops it at once.
 *
 * On the command line, `run <operation>` runs that timed operation once instead, without HTTP: exit status 0, 1 when it
 * failed, 2 when there is no such operation.
 */
export async function startService(service: Service): Promise<void> {
  const operation = operationToRun(process.argv.slice(2), service.schedule?.operations ?? []);
  try {
    if (operation === undefined) await serve(service, await prepare(service, true));
    else await runOnce(operation, service, await prepare(service, false));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    for (const problem of error.problems) process.stderr.write(`${problem}\n`);
    process.exit(1);
  }
}

async function prepare(
  { datasources = [], authentications = [], schedule, envFile }: Service,
  isServing: boolean,
): Promise<Ready> {
  const settings = readSettings({
    variables: process.env,
    envFile: readText(envFile),
    datasources,
    authentications,
  });
  const log = createLog(settings.logLevel, settings.secrets, settings.logFormat);
  loopLimit.elements = settings.loopLimit;
  loopLimit.memory = settings.listMemory;
  openAll(datasources, settings, log);
  const metrics =
    isServing && settings.managementPort !== undefined
      ? new (await import('../management/service-metrics.js')).ServiceMetrics(datasources)
      : undefined;
  if (metrics) for (const datasource of datasources) datasource.observe?.(metrics);
  schedule?.open({ settings, datasources, log, observer: metrics });
  return { settings, log, metrics };
}

function readText(file: URL | undefined): string {
  if (!file) return '';
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    if (code === 'ENOENT') return '';
    throw new StartError([`The settings cannot be read from ${file.pathname}: ${String(code)}`]);
  }
}

function openAll(datasources: readonly Datasource[], settings: Settings, log: Log): void {
  const problems: string[] = [];
  for (const datasource of datasources) {
    const options = settings.datasources.get(datasource.name);
    if (!options) throw new Error(`no settings were read for the datasource ${datasource.name}`);
    try {
      const warn = (warning: string): void => {
        log.warn({ datasource: datasource.name }, warning);
      };
      datasource.open(options, warn).forEach(warn);
    } catch (error) {
      problems.push(
        `datasource ${datasource.name}: ${error instanceof Error ? error.message : 'cannot be opened'}`,
      );
    }
  }
  if (problems.length > 0) throw new StartError(problems);
}
