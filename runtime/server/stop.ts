/** Stops the service without losing requests. */
import { setTimeout as delay } from 'node:timers/promises';
import { describeError, type Log } from './log.js';
import type { HttpServer } from '../http/server.js';
import type { Datasource, Schedule, WorkerLink } from './contracts.js';
import type { Settings } from './settings.js';
import { onStopRequest } from './stop-process.js';

/** A running service. */
export interface Running {
  readonly http: HttpServer;
  readonly datasources: readonly Datasource[];
  readonly schedule?: Pick<Schedule, 'stop'> | undefined;
  readonly settings: Pick<Settings, 'shutdownDelay' | 'shutdownTimeout'>;
  readonly log: Log;
  /** Set if several processes share the port. */
  readonly worker?: WorkerLink | undefined;
}

/** Milliseconds to close the database connections after all requests have finished. */
const datasourceClosing = 2000;

/**
 * Stops a service in this order:
 *
 * 1. Timers stop.
 * 2. During SHUTDOWN_DELAY, responses close their connections while load balancers notice that this instance is stopping.
 * 3. New connections are refused. Requests in flight finish within SHUTDOWN_TIMEOUT.
 * 4. Datasources are closed.
 *
 * Never fails, and always ends within these time limits.
 */
export async function drain({ http, datasources, schedule, settings, log, worker }: Running): Promise<void> {
  http.closing = true;
  const timedOperations = schedule?.stop();
  if (settings.shutdownDelay > 0) {
    http.responsesAreLast = true;
    await delay(settings.shutdownDelay);
  }
  for (const datasource of datasources) datasource.stop?.();

  if (!(await endsWithin(settings.shutdownTimeout, Promise.all([http.close(worker), timedOperations])))) {
    log.warn('SHUTDOWN_TIMEOUT is over: requests and timed operations in flight are cut off');
    http.destroyConnections();
  }
  await closeAll(datasources, log);
}

/**
 * A signal, or the message of a parent process on Windows, ends the process with status 0 after `stop`. Later ones call `again`; without
 * `again`, they end the process immediately with status 1. An unexpected error also stops the service, with status 1, because its state is
 * unknown.
 */
export function stopOnSignals(
  log: Log,
  stop: () => Promise<unknown>,
  again: () => void = () => process.exit(1),
): void {
  let status: number | undefined;
  const end = (first: number) => {
    if (status !== undefined) return;
    status = first;
    void stop().then(() => process.exit(status));
  };
  onStopRequest(() => {
    if (status === undefined) end(0);
    else {
      status = 1;
      again();
    }
  });
  // Unhandled rejections are also reported by this event.
  process.on('uncaughtException', (error) => {
    log.fatal({ error: describeError(error) }, 'unexpected error, the service stops');
    end(1);
  });
}

/** Closes the datasources within a time limit. Never fails. */
export async function closeAll(datasources: readonly Datasource[], log: Log): Promise<void> {
  const deadline = performance.now() + datasourceClosing;
  const closings = datasources.map(async (datasource) => {
    try {
      await datasource.close(deadline);
    } catch (error) {
      log.warn({ datasource: datasource.name, error: describeError(error) }, 'a datasource did not close');
    }
  });
  // A datasource that misses its deadline must not keep the process alive.
  if (!(await endsWithin(datasourceClosing + 500, Promise.all(closings))))
    log.warn('a datasource did not close in time');
}

/** Whether the work ends within the given milliseconds. */
async function endsWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => true), delay(milliseconds, false)]);
}
