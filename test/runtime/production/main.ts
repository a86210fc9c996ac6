/** A hand-written service whose database can be stopped, started by tests as a separate process. */
import { apiVersion } from '../../../runtime/server/api-version.js';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { jsonBody } from '../../../runtime/http/json-body.js';
import { createRouter } from '../../../runtime/http/router.js';
import { reply } from '../../../runtime/responses/reply.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { createSchedule } from '../../../runtime/schedule/schedule.js';
import { startService } from '../../../runtime/server/service.js';
import type { Datasource } from '../../../runtime/server/contracts.js';

const { AWAY = '', TICKS } = process.env;

/** Unreachable while the file AWAY exists; hangs while the file AWAY.stuck exists. */
const main: Datasource = {
  name: 'main',
  open: () => [],
  close: async () => {
    await delay(Number(process.env.CLOSING ?? 100));
  },
  isReachable: async () => {
    if (existsSync(`${AWAY}.stuck`)) await delay(60_000);
    process.stdout.write('asked the database\n');
    return !existsSync(AWAY);
  },
  connections: () => ({ used: 2, free: 3, waiting: 1 }),
};

const router = createRouter([
  { method: 'GET', path: '/pid', handler: () => reply(200, process.pid) },
  {
    method: 'GET',
    path: '/slow/{ms}',
    handler: async (call) => {
      process.stdout.write('slow begins\n');
      await delay(Number(call.param('ms')));
      return reply(200, process.pid);
    },
  },
  {
    method: 'GET',
    path: '/wrong',
    handler: () => {
      throw new ServiceError(400, 'wrong');
    },
  },
  { method: 'POST', path: '/pid', handler: () => reply(201), body: jsonBody },
  {
    method: 'GET',
    path: '/die',
    operation: 'GET /die "quoted\\ \nbroken"',
    handler: () => {
      setTimeout(() => process.exit(3), 20);
      return reply(200);
    },
  },
]);

const schedule = createSchedule([
  {
    operation: 'tick',
    trigger: 'every second',
    cron: '* * * * * *',
    handler: () => {
      process.stdout.write(`tick of ${process.pid}\n`);
      if (TICKS === 'fail') throw new Error('no');
      return undefined;
    },
  },
]);

await startService({
  api: apiVersion,
  router,
  datasources: [main],
  version: '1.2.3',
  ...(TICKS === undefined ? {} : { schedule }),
});
