/** Health and metrics of a process (MANAGEMENT_PORT). */
import type { Datasource, Observed } from '../server/contracts.js';
import type { Settings } from '../server/settings.js';
import { manage, openListener } from './listener.js';
import { ServiceMetrics } from './service-metrics.js';

/** Starts to collect metrics. The listener is opened together with the service. */
export function observe(
  datasources: readonly Datasource[],
  settings: Settings,
  version: string | undefined,
): Observed {
  const metrics = new ServiceMetrics(datasources);
  return {
    observer: metrics,
    async open(http, log, worker) {
      const management = manage(metrics, datasources, http);
      if (worker === undefined) return openListener(management, { ...settings, version }, log);
      worker.respondToPrimary(management);
      return undefined;
    },
  };
}
