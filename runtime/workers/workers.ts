/** Several processes on one port (WORKERS); read only when there are several. */
import cluster from 'node:cluster';
import type { Log } from '../server/log.js';
import type { Settings } from '../server/settings.js';
import { Supervisor, stopOnSignals } from './primary.js';

export { asWorker } from './worker.js';

/** Whether this process is the one that starts the others. */
export const isPrimary = cluster.isPrimary;

/** Starts the workers, and gives the port when they listen. What keeps one from starting ends this process too. */
export async function startWorkers(settings: Settings, log: Log): Promise<number> {
  const supervisor = new Supervisor(settings, log);
  const port = await supervisor.start();
  if (port === undefined) {
    supervisor.kill();
    process.exit(1);
  }
  const { managementPort, managementHost } = settings;
  const management =
    managementPort === undefined
      ? undefined
      : await (
          await import('../management/manage.js')
        ).openListener(supervisor.management, managementPort, managementHost, log);
  stopOnSignals(supervisor, management, log);
  return port;
}
