/** A hand-written service, started by tests as a separate process: calls of third-party APIs, and uploads. */
import { apiVersion } from '../../../../runtime/server/api-version.js';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { jsonBody } from '../../../../runtime/http/json-body.js';
import { formBody } from '../../../../runtime/forms/form-body.js';
import type { Call } from '../../../../runtime/handler/call.js';
import { readForm } from '../../../../runtime/uploads/read-form.js';
import { createRouter } from '../../../../runtime/http/router.js';
import type { Handler, Route } from '../../../../runtime/http/route.js';
import { reply } from '../../../../runtime/responses/reply.js';
import { rest } from '../../../../runtime/rest/rest.js';
import { encode, segment } from '../../../../runtime/rest/url-values.js';
import { startService } from '../../../../runtime/server/service.js';

const third = rest({ name: 'third', header: ['X-Api-Key'], timeout: 1 });
const closed = rest({ name: 'closed', timeout: 1 });
const calm = rest({ name: 'calm', timeout: 20 });

const callSite = (operation: string) => ({ operation, fulfillment: 'answer' });
const read = third.request({ ...callSite('read'), method: 'GET' });
const update = third.request({ ...callSite('update'), method: 'POST' });
const withStatus = third.requestWithStatus({ ...callSite('status'), method: 'GET' });
const askClosed = closed.request({ ...callSite('closed'), method: 'GET' });
const askCalm = calm.request({ ...callSite('calm'), method: 'GET' });
const store = calm.request({ ...callSite('forward'), method: 'POST' });

const pathOf = (call: Call) => `/${segment(call.param('case'))}?value=${encode(call.param('value'))}`;

function get(path: string, handler: Handler): Route {
  return { method: 'GET', path, handler };
}

/** Peak memory since the last request for it. */
let max = 0;
const measure = () => (max = Math.max(max, process.memoryUsage.rss()));
setInterval(measure, 5).unref();
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const routes: Route[] = [
  get('/read/{case}', async (call) => reply(200, await read(call, { url: pathOf(call) }))),
  get('/status/{case}', async (call) => {
    const { status, body } = await withStatus(call, { url: pathOf(call) });
    return reply(200, { status, body });
  }),
  get('/closed', async (call) => reply(200, await askClosed(call, { url: '/' }))),
  get('/calm/{case}', async (call) => reply(200, await askCalm(call, { url: pathOf(call) }))),
  {
    method: 'POST',
    path: '/update/{case}',
    body: jsonBody,
    handler: async (call) => reply(200, await update(call, { url: pathOf(call), body: call.body })),
  },
  {
    method: 'POST',
    path: '/upload/{case}',
    body: formBody({ multipart: readForm }),
    handler: async (call) => {
      const multipart = { file: call.file('file'), note: call.param('note') };
      return reply(200, await update(call, { url: pathOf(call), multipart }));
    },
  },
  {
    method: 'POST',
    path: '/forward',
    body: formBody({ multipart: readForm }),
    handler: async (call) => {
      const multipart = { file: call.file('file'), note: call.param('note') };
      return reply(200, await store(call, { url: '/store', multipart }));
    },
  },
  {
    method: 'POST',
    path: '/look',
    body: formBody({ multipart: readForm }),
    handler: (call) => {
      const file = call.file('file');
      const size = file?.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      const described = file && { name: file.name, type: file.type, size: size ?? 0 };
      return reply(200, { file: described, note: call.param('note') });
    },
  },
  get('/memory', () => {
    measure();
    const peak = max;
    collect();
    max = process.memoryUsage.rss();
    return reply(200, { peak, now: max, heap: process.memoryUsage().heapUsed });
  }),
];

await startService({ api: apiVersion, router: createRouter(routes), datasources: [third, closed, calm] });
