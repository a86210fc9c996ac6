/** A small service with timed operations, started by schedule.test.ts as a separate process. */
import { apiVersion } from '../../../runtime/server/api-version.js';
import { setTimeout as delay } from 'node:timers/promises';
import { createRouter } from '../../../runtime/http/router.js';
import { fail, ServiceError } from '../../../runtime/handler/reply.js';
import { reply } from '../../../runtime/responses/reply.js';
import { createSchedule } from '../../../runtime/schedule/schedule.js';
import { startService } from '../../../runtime/server/service.js';

const every = { trigger: 'every second', cron: '* * * * * *' };
const never = { trigger: 'in winter', cron: '0 0 0 1 1 *' };

const schedule = createSchedule([
  {
    ...every,
    operation: 'slow',
    handler: async () => {
      process.stdout.write('slow begins\n');
      await delay(Number(process.env.SLOW ?? 0));
      process.stdout.write('slow ends\n');
      return undefined;
    },
  },
  { ...never, operation: 'nightly clean-up', handler: () => reply(204) },
  { ...never, operation: 'exception', handler: () => Promise.reject(fail(409, 'Nothing to do')) },
  {
    ...never,
    operation: 'error',
    handler: () => {
      throw new ServiceError(503, 'The database is not available', { log: { datasource: 'main' } });
    },
  },
  {
    ...never,
    operation: 'rejection',
    handler: async () => {
      void Promise.reject(new Error('nobody waits for this'));
      await delay(60_000);
      return undefined;
    },
  },
]);

await startService({
  api: apiVersion,
  router: createRouter([]),
  schedule,
  datasources: [
    {
      name: 'main',
      open: () => [],
      close: () => {
        process.stdout.write('closed\n');
      },
    },
  ],
});
