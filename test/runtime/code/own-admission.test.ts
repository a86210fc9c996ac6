/** User routes that call operations like requests (`each`), and the headers of results, on a real server. */
import { afterEach, expect, test } from 'vitest';
import { ownAccess } from '../../../runtime/code/own-access.js';
import { ownOperation, ownRoutes } from '../../../runtime/code/own-routes.js';
import { requestLimits } from '../../../runtime/limits/limits.js';
import type { Call } from '../../../runtime/handler/call.js';
import type { Json } from '../../../runtime/handler/json.js';
import type { Access, Route } from '../../../runtime/http/route.js';
import { headerLines } from '../../../runtime/responses/header-lines.js';
import { reply } from '../../../runtime/responses/reply.js';
import { serve, type Served } from '../serve.js';

let served: Served | undefined;

afterEach(async () => {
  await served?.stop();
  served = undefined;
});

/** Admits requests whose header `x-role` is the role. */
function only(role: string): Access {
  return {
    admit: ({ request }) =>
      Promise.resolve(
        request.headers['x-role'] === role
          ? { caller: { sub: role, by: 'operation' } }
          : { status: 403, headers: () => ['X-Refused', role], refusal: { reason: 'scope' } },
      ),
  } as Access;
}

const whoami = (call: Call) => reply(200, { caller: call.caller, id: call.param('id') });
const tagged = () =>
  reply(
    201,
    { id: 1 },
    {
      header: headerLines(['Location', '/things/1'], ['Set-Cookie', ['a=1', 'b=2']], ['Vary', 'Accept']),
      etag: true,
    },
  );
const inner = (call: Call) => reply(200, { caller: call.caller });

const twiceLimited = () => reply(204);

const operations = {
  twiceLimited: ownOperation<object, null>(twiceLimited),
  whoami: ownOperation<{ id?: Json }, Json>(whoami, { texts: ['id'] }),
  limited: ownOperation<object, Json>(tagged),
  inner: ownOperation<object, Json>(inner),
};

const routes: Route[] = [
  { method: 'GET', path: '/whoami', handler: whoami, access: only('admin') },
  {
    method: 'GET',
    path: '/limited',
    load: () => Promise.resolve({ limited: tagged }),
    limits: requestLimits('GET /limited', [{ by: (call) => [call.param('who')], within: 900, times: 2 }]),
  },
  {
    method: 'GET',
    path: '/twice-limited',
    load: () => Promise.resolve({ twiceLimited }),
    limits: requestLimits('GET /twice-limited', [
      { by: (call) => [call.param('who')], within: 900, times: 2 },
      { by: (call) => [call.param('what')], within: 900, times: 1 },
    ]),
  },
];

type Result = (context: Awaited<ReturnType<typeof contextOf>>) => Promise<unknown>;

const contextOf = ownRoutes({ access: ownAccess({}, only('guest')), operations });

async function ask(role: string, run: Result, options: { each?: boolean }): Promise<Response> {
  served ??= await serve(routes, {
    fallback: async (request, response) => {
      const result = await current(await contextOf(request, currentOptions));
      response.end(JSON.stringify(result));
    },
  });
  current = run;
  currentOptions = options;
  return fetch(`${served.url}/batch`, { headers: { 'x-role': role } });
}

let current: Result;
let currentOptions: { each?: boolean };

const callWhoami: Result = async ({ operations: { whoami: run } }) => (await run({ id: 7 })).body;

test('with each, the operation decides who may call it', async () => {
  const refused = await ask('guest', callWhoami, { each: true });
  expect(refused.status).toBe(403);
  expect(refused.headers.get('x-refused')).toBe('admin');
  const admitted = await ask('admin', callWhoami, { each: true });
  expect([admitted.status, await admitted.json()]).toEqual([
    200,
    { caller: { sub: 'admin', by: 'operation' }, id: '7' },
  ]);
});

test('without each, the route decides', async () => {
  expect((await ask('admin', callWhoami, {})).status).toBe(403);
  const response = await ask('guest', callWhoami, {});
  expect(await response.json()).toMatchObject({ caller: { sub: 'guest' } });
});

test('with each, an operation without an endpoint gets the caller of the route', async () => {
  const run: Result = async ({ caller, operations: { inner: called } }) => [caller, (await called()).body];
  expect(await (await ask('guest', run, { each: true })).json()).toEqual([null, { caller: null }]);
});

test('with each, a call counts in the limits of its operation', async () => {
  const run: Result = async ({ operations: { limited } }) => (await limited({ who: 'a' })).status;
  expect((await ask('guest', run, { each: true })).status).toBe(200);
  expect((await ask('guest', run, { each: true })).status).toBe(200);
  const third = await ask('guest', run, { each: true });
  expect([third.status, third.headers.has('retry-after')]).toEqual([429, true]);
  expect((await ask('guest', run, {})).status).toBe(200);
});

test('with each, a call over a limit counts in no other limit', async () => {
  const call = async (what: string): Promise<number> => {
    const run: Result = async ({ operations: { twiceLimited: run } }) =>
      (await run({ who: 'a', what })).status;
    return (await ask('guest', run, { each: true })).status;
  };
  expect([await call('x'), await call('x'), await call('y'), await call('z')]).toEqual([200, 429, 200, 429]);
});

test('a result has the headers of the response', async () => {
  const run: Result = async ({ operations: { limited } }) => (await limited({ who: 'b' })).headers;
  expect(await (await ask('guest', run, {})).json()).toEqual({
    'content-type': 'application/json; charset=utf-8',
    location: '/things/1',
    'set-cookie': ['a=1', 'b=2'],
    vary: 'Accept',
    etag: expect.stringMatching(/^"|^W\//) as unknown,
  });
});
