/** An instance of a service with a ledger, started by play-ledger.ts as a separate process. */
import { apiVersion } from '../../../../runtime/server/api-version.js';
import { createRouter } from '../../../../runtime/http/router.js';
import { reply } from '../../../../runtime/responses/reply.js';
import { createSchedule } from '../../../../runtime/schedule/schedule.js';
import { startService } from '../../../../runtime/server/service.js';
import { mysql } from '../../../../runtime/mysql/mysql.js';
import { postgres } from '../../../../runtime/postgres/postgres.js';

const skew = Number(process.env.SKEW ?? 0);
const { now } = Date;
Date.now = () => now() + skew;

const url = process.env.DATASOURCE_JOBS_URL ?? '';
const jobs = (url.startsWith('jdbc:postgresql:') ? postgres : mysql)({ name: 'jobs' });

const count = jobs.update({
  operation: 'count',
  fulfillment: 'run',
  sql: url.startsWith('jdbc:postgresql:')
    ? 'insert into run default values returning id'
    : 'insert into run values ()',
});

const schedule = createSchedule([
  {
    operation: 'count',
    trigger: 'every second',
    cron: '* * * * * *',
    handler: async (call) => {
      await count(call, []);
      return reply(204);
    },
  },
]);

await startService({ api: apiVersion, router: createRouter([]), datasources: [jobs], schedule });
