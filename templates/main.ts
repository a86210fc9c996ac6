/** Starts the service. */
import { datasources } from './datasources.js';
import { router } from './router.js';
import { startService } from './runtime/service.js';

await startService({
  router,
  datasources,
  app: async () => (await import('./app.js')).app,
  envFile: new URL('../.env', import.meta.url),
});
