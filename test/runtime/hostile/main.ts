/**
 * A hand-written service for the attacks in this folder, started as a separate process. With OWN_TIME=on it measures its own running time,
 * and prints how long each large response took.
 */
import { apiVersion } from '../../../runtime/server/api-version.js';
import { setTimeout as delay } from 'node:timers/promises';
import { jsonBody } from '../../../runtime/http/json-body.js';
import { formBody } from '../../../runtime/forms/form-body.js';
import { createRouter } from '../../../runtime/http/router.js';
import { readForm } from '../../../runtime/uploads/read-form.js';
import { reply } from '../../../runtime/responses/reply.js';
import { startService } from '../../../runtime/server/service.js';
import { countOwnTime, printDurations } from './own-time.js';
import { readSlowly } from './slow-reader.js';

if (process.env['OWN_TIME'] === 'on') {
  countOwnTime();
  printDurations('/large');
}

const large = Array.from({ length: 90_000 }, (_, id) => ({ id, text: 'x'.repeat(80) }));

const router = createRouter([
  { method: 'GET', path: '/ok', handler: () => reply(200, 'ok') },
  { method: 'GET', path: '/large', handler: () => reply(200, large) },
  {
    method: 'GET',
    path: '/read-slowly/{port}',
    handler: async (call) => reply(200, await readSlowly(Number(call.param('port')), '/large')),
  },
  { method: 'POST', path: '/echo', body: jsonBody, handler: (call) => reply(200, call.body) },
  { method: 'POST', path: '/upload', body: formBody({ multipart: readForm }), handler: () => reply(200) },
  {
    method: 'GET',
    path: '/slow/{ms}',
    handler: async (call) => {
      await delay(Number(call.param('ms')));
      return reply(200, 'finished');
    },
  },
  {
    method: 'GET',
    path: '/stuck/{ms}',
    handler: (call) => {
      const end = performance.now() + Number(call.param('ms'));
      while (performance.now() < end);
      return reply(200, process.pid);
    },
  },
]);

await startService({ api: apiVersion, router });
