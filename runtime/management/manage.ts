/** What one process of a service tells of itself. */
import type { Log } from '../server/log.js';
import { StartError } from '../server/start-error.js';
import { listenForManagement, type Management, type ManagementListener } from './listener.js';
import { ReadinessCheck, type Reachable } from './readiness.js';
import type { ServiceMetrics } from './service-metrics.js';

/** The management of this process. */
export function manage(
  metrics: ServiceMetrics,
  datasources: readonly Reachable[],
  http: { readonly closing: boolean },
): Management {
  const check = new ReadinessCheck(datasources, http);
  return {
    liveness: () => ({ status: 'live' }),
    readiness: () => check.ask(),
    metrics: () => Promise.resolve(metrics.collect()),
  };
}

/** Opens the listener of MANAGEMENT_PORT. Throws a StartError. */
export async function openListener(
  management: Management,
  port: number,
  host: string | undefined,
  log: Log,
): Promise<ManagementListener> {
  try {
    const listener = await listenForManagement(management, { port, host });
    log.info({ port: listener.port }, 'management listens');
    return listener;
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    throw new StartError([
      code === 'EADDRINUSE'
        ? `The port ${port} is in use already: set MANAGEMENT_PORT to another port`
        : `The service cannot listen on MANAGEMENT_HOST, port ${port}: ${String(code)}`,
    ]);
  }
}
