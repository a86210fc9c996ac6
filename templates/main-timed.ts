/** Starts the service, or runs one timed operation: `node dist/main.js run <operation>`. */
import { datasources } from './datasources.js';
import { router } from './router.js';
import { startService } from './runtime/service.js';
import { schedule } from './schedule.js';

await startService({
  router,
  datasources,
  schedule,
  app: async () => (await import('./app.js')).app,
  envFile: new URL('../.env', import.meta.url),
});
