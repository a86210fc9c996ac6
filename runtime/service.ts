/** Starts the service as a process: settings, datasources, HTTP, signals. */
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { SettingsReader } from './environment.js';
import type { Fallback } from './http/fallback.js';
import type { Router } from './http/router.js';
import { HttpServer } from './http/server.js';
import { createLog, mask, type Log } from './log.js';
import { loopLimit } from './loop-limit.js';
import { operationToRun, runOnce } from './run-once.js';
import { readSettings, type DatasourceNeeds, type DatasourceSettings, type Settings } from './settings.js';
import { StartError } from './start-error.js';
import { drain, stopOnSignals } from './stop.js';

/** What the generated modules give to the process. */
export interface Service {
  readonly router: Router;
  readonly datasources?: readonly Datasource[];
  readonly authentications?: readonly SettingsReader[];
  /** The timed operations. */
  readonly schedule?: Schedule;
  /** The user's own pages; loaded when they are needed, so that the start does not wait for them. */
  readonly app?: () => Promise<Fallback>;
  /** The file with the settings that no environment variable gives; it need not be there. */
  readonly envFile?: URL;
}

/** What the process does with a datasource; operations see another side of it. */
export interface Datasource extends DatasourceNeeds {
  /**
   * Takes the settings, without connecting, and gives warnings. They, and the message of an Error that it throws, are for
   * the person who starts the service and hold no secret.
   */
  open(settings: DatasourceSettings): readonly string[];
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
  readonly settings: Pick<Settings, 'schedule' | 'scheduleLedger' | 'scheduleTimeout'>;
  readonly datasources: readonly Datasource[];
  readonly log: Log;
}

/** Milliseconds after the start: by then a fault in the user's own pages should show, whether or not somebody asks for one. */
const appLoading = 500;

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
    const ready = prepare(service);
    if (operation === undefined) await serve(service, ready);
    else await runOnce(operation, service, ready);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    for (const problem of error.problems) process.stderr.write(`${problem}\n`);
    process.exit(1);
  }
}

/** What serving and running once begin with. */
interface Ready {
  readonly settings: Settings;
  readonly log: Log;
}

function prepare({ datasources = [], authentications = [], schedule, envFile }: Service): Ready {
  const settings = readSettings({
    variables: process.env,
    envFile: readText(envFile),
    datasources,
    authentications,
  });
  const log = createLog(settings.logLevel, settings.secrets);
  loopLimit.elements = settings.loopLimit;
  openAll(datasources, settings, log);
  schedule?.open({ settings, datasources, log });
  return { settings, log };
}

async function serve(
  { router, datasources = [], schedule, app }: Service,
  { settings, log }: Ready,
): Promise<void> {
  const http = new HttpServer({ router, log, limits: settings, fallback: app });
  await listen(http, settings);
  stopOnSignals(log, () => drain({ http, datasources, schedule, settings, log }));
  if (settings.licence !== undefined) log.info({ licence: mask(settings.licence) }, 'licence');
  process.stdout.write(`listening on ${address(http, settings)}\n`);
  schedule?.start();
  if (app) setTimeout(() => void app(), appLoading).unref();
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
      for (const warning of datasource.open(options)) log.warn({ datasource: datasource.name }, warning);
    } catch (error) {
      problems.push(
        `datasource ${datasource.name}: ${error instanceof Error ? error.message : 'cannot be opened'}`,
      );
    }
  }
  if (problems.length > 0) throw new StartError(problems);
}

function listen({ server }: HttpServer, { host, port }: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      reject(new StartError([cannotListen(error.code ?? error.name, host, port)]));
    };
    server.once('error', refuse);
    server.listen({ host, port }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

function cannotListen(code: string, host = 'every address', port: number): string {
  if (code === 'EADDRINUSE')
    return `The port ${port} is in use already: stop the other program, or set PORT to another port`;
  if (code === 'EACCES')
    return `The port ${port} may not be used by this user: set PORT to a port above 1023`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST is ${host}, which is no address of this machine`;
  return `The service cannot listen on ${host}, port ${port}: ${code}`;
}

function address({ server }: HttpServer, { host }: Settings): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host === undefined ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
}
