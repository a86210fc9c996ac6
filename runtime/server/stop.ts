/** Stops the service without losing a request. */
import { setTimeout as delay } from 'node:timers/promises';
import { describeError, type Log } from './log.js';
import type { HttpServer } from '../http/server.js';
import type { Datasource, Schedule } from './contracts.js';
import type { Settings } from './settings.js';

/** A service that listens. */
export interface Running {
  readonly http: HttpServer;
  readonly datasources: readonly Datasource[];
  readonly schedule?: Pick<Schedule, 'stop'> | undefined;
  readonly settings: Pick<Settings, 'shutdownDelay' | 'shutdownTimeout'>;
  readonly log: Log;
  /** Where several processes share the port: settled when none of them listens any more, after it was told that this one does not. */
  readonly settled?: (() => Promise<void>) | undefined;
}

/** Milliseconds for the goodbye to the databases: nothing is in flight any more. */
const datasourceClosing = 2000;

/**
 * Nothing ticks any more. Where there is a delay the answers say that their connections end, while load balancers learn that this instance
 * goes. Then the service takes no new connections, and what is in flight finishes, as long as there is time; last the datasources are
 * closed. Never fails, and ends in bounded time.
 */
export async function drain({ http, datasources, schedule, settings, log, settled }: Running): Promise<void> {
  http.closing = true;
  const timedOperations = schedule?.stop();
  if (settings.shutdownDelay > 0) {
    http.answersAreLast = true;
    await delay(settings.shutdownDelay);
  }

  if (!(await endsWithin(settings.shutdownTimeout, Promise.all([http.close(settled), timedOperations])))) {
    log.warn('SHUTDOWN_TIMEOUT is over: requests and timed operations in flight are cut off');
    http.destroyConnections();
  }
  await closeAll(datasources, log);
}

/**
 * SIGTERM and SIGINT end the process with status 0 when the way out is done, a second one ends it at once. A fault that
 * nobody expected ends it with status 1 in the same way: only a new process is trustworthy then. With `patient` a second signal
 * changes nothing: a terminal and a supervisor may both send one.
 */
export function stopOnSignals(log: Log, wayOut: () => Promise<void>, patient = false): void {
  let stopping = false;
  const stop = (status: number) => {
    if (stopping) return;
    stopping = true;
    void wayOut().then(() => process.exit(status));
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping && !patient) process.exit(1);
      stop(0);
    });
  }
  // Rejections that nobody handles come here too.
  process.on('uncaughtException', (error) => {
    log.fatal({ error: describeError(error) }, 'unexpected fault, the service stops');
    stop(1);
  });
}

/** Closes the datasources. Never fails, and ends in bounded time. */
export async function closeAll(datasources: readonly Datasource[], log: Log): Promise<void> {
  const deadline = performance.now() + datasourceClosing;
  const closings = datasources.map(async (datasource) => {
    try {
      await datasource.close(deadline);
    } catch (error) {
      log.warn({ datasource: datasource.name, error: describeError(error) }, 'a datasource did not close');
    }
  });
  // A datasource that keeps no deadline must not keep the process either.
  if (!(await endsWithin(datasourceClosing + 500, Promise.all(closings))))
    log.warn('a datasource did not close in time');
}

/** Whether the work ends in that time, in milliseconds. */
async function endsWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => true), delay(milliseconds, false)]);
}
