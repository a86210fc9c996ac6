/** Stops the service without failing a request. */
import { setTimeout as delay } from 'node:timers/promises';
import { describeError } from './describe-error.js';
import type { HttpServer } from './http/server.js';
import type { Log } from './log.js';
import type { Datasource } from './service.js';
import type { Settings } from './settings.js';

/** A service that listens. */
export interface Running {
  readonly http: HttpServer;
  readonly datasources: readonly Datasource[];
  readonly settings: Pick<Settings, 'shutdownDelay' | 'shutdownTimeout'>;
  readonly log: Log;
}

/** Milliseconds for the goodbye to the databases: nothing is in flight any more. */
const datasourceClosing = 2000;

/**
 * First the answers say that their connections end, while load balancers learn that this instance goes; then the service
 * takes no new connections, and requests in flight finish, as long as there is time; last the datasources are closed.
 * Never fails, and ends in bounded time.
 */
export async function drain({ http, datasources, settings, log }: Running): Promise<void> {
  http.closing = true;
  if (settings.shutdownDelay > 0) await delay(settings.shutdownDelay);

  if (!(await endsWithin(settings.shutdownTimeout, http.close()))) {
    log.warn('SHUTDOWN_TIMEOUT is over: requests in flight are cut off');
    http.server.closeAllConnections();
  }

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

async function endsWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => true), delay(milliseconds, false)]);
}
