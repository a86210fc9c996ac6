/** A small hand-written service, started by service.test.ts as a separate process. */
import { apiVersion } from '../../../runtime/server/api-version.js';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createRouter } from '../../../runtime/http/router.js';
import { reply } from '../../../runtime/responses/reply.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { startService } from '../../../runtime/server/service.js';
import type { TestPage } from '../../../runtime/http/route.js';
import type { Datasource } from '../../../runtime/server/contracts.js';
import type { DatasourceSettings } from '../../../runtime/server/settings.js';

let password = '';

const main: Datasource = {
  name: 'main',
  open(settings: DatasourceSettings) {
    if (!settings.url.startsWith('jdbc:')) throw new Error('the url is not a JDBC URL');
    password = settings.password ?? '';
    return ['the option x is ignored'];
  },
  async close(deadline) {
    await delay(20);
    process.stdout.write(`closed, ${deadline > performance.now() ? 'in time' : 'late'}\n`);
    // A datasource that ignores its deadline.
    if (process.env.STUCK === 'true') await delay(60_000);
  },
};

const { ENV_FILE, BROKEN_AFTER, TEST_PAGE } = process.env;

const testPage: TestPage = {
  announce: () => undefined,
  owns: () => false,
  respond: () => false,
  observe: (_exchange, _operation, run, call) => Promise.resolve(run(call)),
};

const router = createRouter([
  { method: 'GET', path: '/ok', handler: () => reply(200) },
  {
    method: 'GET',
    path: '/broken',
    async load() {
      if (BROKEN_AFTER === undefined) return { broken: () => reply(200) };
      await delay(Number(BROKEN_AFTER));
      throw new Error('a module that cannot be loaded');
    },
  },
  {
    method: 'GET',
    path: '/slow/{ms}',
    handler: async (call) => {
      process.stdout.write('slow begins\n');
      await delay(Number(call.param('ms')));
      return reply(200, 'finished');
    },
  },
  {
    method: 'GET',
    path: '/until-the-stop',
    handler: async () => {
      const stop = once(process, 'SIGTERM');
      process.stdout.write('slow begins\n');
      await stop;
      await delay(100);
      return reply(200, 'finished');
    },
  },
  {
    method: 'GET',
    path: '/failure',
    handler: () => {
      const cause = Object.assign(new Error(`cannot log in with ${password}`), { code: 'ECONNREFUSED' });
      throw new ServiceError(500, 'Internal server error', {
        cause,
        log: { fulfillment: 'news', note: password },
      });
    },
  },
  {
    method: 'GET',
    path: '/refused/{kind}',
    handler: (call) => {
      const log = { kind: JSON.stringify(call.param('kind')), table: 'news' };
      throw new ServiceError(
        409,
        'Refused',
        call.param('kind') === 'told' ? { log, level: 'info' } : { log },
      );
    },
  },
  {
    method: 'GET',
    path: '/unhandled',
    handler: () => {
      void Promise.reject(new Error('nobody waits for this'));
      return reply(200);
    },
  },
]);

await startService({
  api: apiVersion,
  router,
  datasources: [main],
  ...(TEST_PAGE === undefined ? {} : { testPage }),
  ...(ENV_FILE === undefined ? {} : { envFile: new URL(ENV_FILE) }),
});
