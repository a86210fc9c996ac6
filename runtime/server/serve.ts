/** Answers requests: in this process, or in several that this one starts (WORKERS). */
import type { AddressInfo } from 'node:net';
import { loadMiddleware } from '../http/load-middleware.js';
import { HttpServer } from '../http/server.js';
import { mask, type Log } from './log.js';
import type { ManagementListener } from '../management/listener.js';
import type { ServiceMetrics } from '../management/service-metrics.js';
import type { Service } from './contracts.js';
import type { Settings } from './settings.js';
import { StartError } from './start-error.js';
import { drain, stopOnSignals } from './stop.js';
import type { WorkerProcess } from '../workers/worker.js';

/** What serving and running once begin with. */
export interface Ready {
  readonly settings: Settings;
  readonly log: Log;
  /** Only where somebody may ask for them. */
  readonly metrics: ServiceMetrics | undefined;
}

/** Milliseconds after the start: by then a fault in the user's own pages should show, whether or not somebody asks for one. */
const appLoading = 500;

/** Returns when the service listens. Throws a StartError. */
export async function serve(service: Service, ready: Ready): Promise<void> {
  const { settings, log } = ready;
  service.testPage?.announce(log, settings.workers);
  const isAlone = settings.workers === 1 || service.testPage !== undefined;
  const workers = isAlone ? undefined : await import('../workers/workers.js');
  if (workers?.isPrimary !== false && settings.licence !== undefined)
    log.info({ licence: mask(settings.licence) }, 'licence');
  if (workers?.isPrimary === true) tellAddress(settings, await workers.startWorkers(settings, log));
  else await answerRequests(service, ready, workers?.asWorker());
}

/** `worker` is there in a process that is one of several. */
async function answerRequests(
  { router, datasources = [], schedule, testPage, app, middleware }: Service,
  { settings, log, metrics }: Ready,
  worker?: WorkerProcess,
): Promise<void> {
  const { corsOrigins, compression, logRequests } = settings;
  const http = new HttpServer({
    ...{ router, log, limits: settings, logRequests, observer: metrics, testPage, fallback: app },
    middleware: await loadMiddleware(middleware),
    cors:
      corsOrigins.length === 0 ? undefined : new (await import('../http/cors.js')).Cors(corsOrigins, router),
    sendCompressed: compression ? (await import('../http/compression.js')).sendCompressed : undefined,
  });
  const port = await listen(http, settings);
  let listener: ManagementListener | undefined;
  const wayOut = async () => {
    await drain({ http, datasources, schedule, settings, log, settled: worker?.settled });
    await listener?.close();
  };
  stopOnSignals(log, wayOut, worker !== undefined);
  if (metrics) {
    const { manage, openListener } = await import('../management/manage.js');
    const management = manage(metrics, datasources, http);
    if (worker) worker.answerPrimary(management);
    else
      listener = await openListener(management, settings.managementPort ?? 0, settings.managementHost, log);
  }
  if (!worker) tellAddress(settings, port);
  schedule?.start();
  if (app) setTimeout(() => void app(), appLoading).unref();
}

/** Gives the port. */
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
    return `HOST is ${host}, which is no address of this machine`;
  return `The service cannot listen on ${host}, port ${port}: ${code}`;
}

function tellAddress({ host }: Settings, port: number): void {
  const name = host === undefined ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  process.stdout.write(`listening on http://${name}:${port}\n`);
}
