/** Parts of a service that only settings ask for, each loaded when its setting is there: WORKERS, MANAGEMENT_PORT, CORS_ORIGIN, COMPRESSION. */
import type { OperatorParts } from './contracts.js';

export const operatorParts: OperatorParts = {
  async observe(settings, datasources, version) {
    if (settings.managementPort === undefined) return undefined;
    const { ServiceMetrics } = await import('../management/service-metrics.js');
    const metrics = new ServiceMetrics(datasources);
    return {
      observer: metrics,
      async open(http, log, worker) {
        const { manage, openListener } = await import('../management/listener.js');
        const management = manage(metrics, datasources, http);
        if (worker === undefined) return openListener(management, { ...settings, version }, log);
        worker.respondToPrimary(management);
        return undefined;
      },
    };
  },

  async http({ corsOrigins, compression }, router) {
    const packed = compression ? await import('../http/compression.js') : undefined;
    return {
      cors:
        corsOrigins.length === 0
          ? undefined
          : new (await import('../http/cors.js')).Cors(corsOrigins, router),
      sendCompressed: packed?.sendCompressed,
      packParts: packed?.packParts,
    };
  },

  async processes(settings, log, version) {
    const { asWorker, isPrimary, startWorkers } = await import('../workers/workers.js');
    return isPrimary ? { port: await startWorkers(settings, log, version) } : { worker: asWorker() };
  },
};
