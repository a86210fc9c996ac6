/**
 * Starts the service: settings, datasources, HTTP and signals, in one process or in several (WORKERS). Code for optional settings is
 * only loaded if they are set.
 */
import { errorCode, messageOf } from '../handler/reply.js';
import { readFileSync } from 'node:fs';
import { apiVersion } from './api-version.js';
import type { ConfiguredAuthentication, Datasource, Observed, Service, WorkerLink } from './contracts.js';
import { createLog, mask, type Log } from './log.js';
import { loopLimit, memoryBudget } from '../handler/memory.js';
import { setServiceLog } from './service-log.js';
import { readSettings, type Settings } from './settings.js';
import { StartError } from './environment.js';
import type { AddressInfo } from 'node:net';
import { userCode } from '../http/fallback.js';
import { setClientBits, trustProxies } from '../http/client-address.js';
import type { HttpParts } from '../http/exchange.js';
import type { Router } from '../http/router.js';
import { HttpServer } from '../http/server.js';
import { drain, stopOnSignals } from './stop.js';
import { unreadProblems } from './unread-names.js';
import { logUnusedSettings } from './unused-settings.js';

/**
 * Starts the service, and returns when it listens and all operations are loaded. If the service cannot start, prints one sentence to
 * standard error and exits with status 1.
 * SIGTERM and SIGINT stop the service with status 0 after the requests in flight; a second signal stops it immediately.
 *
 * `run <operation>` runs a timed operation once, without HTTP. Exit status: 0 on success, 1 on failure, 2 if the operation does not
 * exist.
 */
export async function startService(service: Service): Promise<void> {
  const [command, ...args] = process.argv.slice(2);
  try {
    if (command !== 'run') await serve(service, await prepare(service, true));
    else if (service.schedule !== undefined)
      await service.schedule.runOnce(args, () => prepare(service, false));
    else {
      process.stderr.write('This service has no timed operation\n');
      process.exit(2);
    }
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    for (const problem of error.problems) process.stderr.write(`${problem}\n`);
    process.exit(1);
  }
}

/** The steps before serving and before a command. Throws a StartError. */
export async function prepare(
  {
    api,
    router,
    datasources = [],
    authentications = [],
    env,
    readers = [],
    tools,
    limits,
    idempotency = [],
    schedule,
    ownCode,
    testPage,
    envFile,
    version,
  }: Service,
  isServing: boolean,
): Promise<Ready> {
  requireApi(api);
  const settings = readSettings({
    variables: process.env,
    envFile: readText(envFile),
    datasources,
    authentications: [
      ...authentications,
      ...router.readers,
      ...readers,
      ...(tools === undefined ? [] : [tools]),
    ],
    env,
  });
  const log = createLog(settings.logLevel, settings.secrets, settings.logFormat);
  setServiceLog(log);
  trustProxies(settings.trustedProxies, log);
  setClientBits(settings.clientBits);
  ownCode?.(log);
  loopLimit.elements = settings.loopLimit;
  loopLimit.memory = settings.listMemory;
  await checkAuthentications(authentications, log);
  if (isServing) memoryBudget.follow(testPage === undefined ? settings.workers : 1);
  const problems = await openAll(datasources, settings, log);
  if (problems.length > 0) throw new StartError([...problems, ...unreadProblems(settings.names)]);
  const management =
    isServing && settings.managementPort !== undefined ? await import('../management/observe.js') : undefined;
  const observed = management?.observe(datasources, settings, version);
  const observer = observed?.observer;
  if (observer) for (const datasource of datasources) datasource.observe?.(observer);
  if (isServing) for (const store of [limits, ...idempotency]) await store?.open(log);
  await schedule?.open({ settings, datasources, log, observer });
  return { settings, log, observed };
}

async function checkAuthentications(all: readonly ConfiguredAuthentication[], log: Log): Promise<void> {
  const found: string[] = [];
  for (const [index, authentication] of all.entries())
    found.push(...((await authentication.problemsAtStart?.(all.slice(index + 1), log)) ?? []));
  if (found.length > 0) throw new StartError(found);
}

/** A different version of the package may have been installed by hand. */
function requireApi(version: number): void {
  if (version === apiVersion) return;
  throw new StartError([
    `This service was generated for version ${version} of the API of @apikiln/runtime, and the installed package has version ${apiVersion}: build the service again, then run npm install`,
  ]);
}

function readText(file: URL | undefined): string {
  if (!file) return '';
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return '';
    throw new StartError([`The settings cannot be read from ${file.pathname}: ${String(code)}`]);
  }
}

/** Opens all datasources, and returns the problems. */
async function openAll(
  datasources: readonly Datasource[],
  settings: Settings,
  log: Log,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const datasource of datasources) {
    const options = settings.datasources.get(datasource.name);
    if (!options) throw new Error(`no settings were read for the datasource ${datasource.name}`);
    try {
      const warn = (warning: string): void => {
        log.warn({ datasource: datasource.name }, warning);
      };
      datasource.open(options, warn, await datasource.load?.(options)).forEach(warn);
    } catch (error) {
      problems.push(`datasource ${datasource.name}: ${messageOf(error)}`);
    }
  }
  return problems;
}

/** The state of a prepared service, before it serves requests or runs one operation. */
export interface Ready {
  readonly settings: Settings;
  readonly log: Log;
  /** Undefined unless metrics are enabled. */
  readonly observed: Observed | undefined;
}

/** Milliseconds between the start and the loading of user pages, so that errors in them are reported without a request. */
const appLoading = 500;

/** Serves requests. Returns when the service listens and all operations are loaded. Throws a StartError. */
async function serve(service: Service, ready: Ready): Promise<void> {
  const { settings, log } = ready;
  service.testPage?.announce(log, settings.workers);
  const isAlone = settings.workers === 1 || service.testPage !== undefined;
  const workers = isAlone ? undefined : await import('../workers/workers.js');
  if (workers?.isPrimary === false) {
    await serveRequests(service, ready, workers.asWorker(settings));
    return;
  }
  logUnusedSettings(service, settings, log);
  if (settings.licence !== undefined) log.info({ licence: mask(settings.licence) }, 'licence');
  if (workers === undefined) await serveRequests(service, ready);
  else logAddress(settings, await workers.startWorkers(settings, log, service.version), log);
}

/** `worker` is set if there are several processes. */
async function serveRequests(
  {
    router,
    datasources = [],
    authentications = [],
    schedule,
    testPage,
    errors,
    app,
    middleware,
    limits,
    tools,
  }: Service,
  { settings, log, observed }: Ready,
  worker?: WorkerLink,
): Promise<void> {
  const pages = userCode('app', app);
  const own = await userCode('middleware', middleware)?.();
  const unchecked = authentications.find(({ needsMiddleware }) => needsMiddleware);
  if (own === undefined && unchecked !== undefined) throw new StartError([missingMiddleware(unchecked.name)]);
  const http = new HttpServer({
    router,
    log,
    limits: settings,
    logRequests: settings.logRequests,
    observer: observed?.observer,
    testPage,
    limitsOfAll: limits?.all,
    errors,
    tools,
    fallback: pages,
    middleware: own,
    ...(await httpParts(settings, router, tools)),
  });
  const port = await listen(http, settings);
  http.loadOperations();
  const listener = observed?.open(http, log, worker);
  const wayOut = async () => {
    await drain({ http, datasources, schedule, settings, log, worker });
    await (await listener)?.close();
  };
  // However the process ends, an unfinished response must not look complete.
  process.once('exit', () => {
    http.destroyConnections();
  });
  // A worker can receive a signal both from a terminal and from the primary process.
  stopOnSignals(log, wayOut, worker && (() => undefined));
  await listener;
  if (!worker) logAddress(settings, port, log);
  schedule?.start();
  if (pages) setTimeout(() => void pages(), appLoading).unref();
  // The process ends if an operation cannot be loaded.
  await new Promise<void>((resolve) => {
    http.loaded.then(resolve, () => undefined);
  });
}

async function httpParts(
  { corsOrigins, compression }: Settings,
  router: Router,
  tools: Service['tools'],
): Promise<HttpParts> {
  const allowed = corsOrigins.length > 0 ? await import('../http/cors.js') : undefined;
  const packed = compression ? await import('../http/compression.js') : undefined;
  return {
    cors: allowed && new allowed.Cors(corsOrigins, router, tools),
    sendCompressed: packed?.sendCompressed,
    packParts: packed?.packParts,
  };
}

function missingMiddleware(authentication: string): string {
  return `src/middleware.ts is missing: the authentication ${authentication} is of type custom, and that file checks its credentials.`;
}

/** Starts listening, and returns the port. */
function listen({ server }: HttpServer, { host, port }: Settings): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      reject(new StartError([cannotListen(error.code ?? error.name, host, port)]));
    };
    server.once('error', refuse);
    server.listen({ host, port }, () => {
      server.off('error', refuse);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function cannotListen(code: string, host = 'every address', port: number): string {
  if (code === 'EADDRINUSE')
    return `The port ${port} is in use already: stop the other program, or set PORT to another port`;
  if (code === 'EACCES')
    return `The port ${port} may not be used by this user: set PORT to a port above 1023`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST is ${host}, which is not an address of this machine`;
  return `The service cannot listen on ${host}, port ${port}: ${code}`;
}

/**
 * Prints the address for users and for programs that start the service. LOG_FORMAT=json allows only log entries, so the address is
 * logged instead.
 */
function logAddress({ host, logFormat }: Settings, port: number, log: Log): void {
  const name = host === undefined ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const message = `listening on http://${name}:${port}`;
  // Logged at every LOG_LEVEL, because the other formats always print the address.
  if (logFormat === 'json') log.child({}, { level: 'info' }).info(message);
  // Like the log, standard output may have lost its reader.
  else process.stdout.on('error', () => undefined).write(`${message}\n`);
}
