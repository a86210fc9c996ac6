/** Long computations: other requests get their turn, the call's deadline is enforced, and results are limited. */
import { Texts } from '../../../runtime/http/texts.js';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { jsonBody } from '../../../runtime/http/json-body.js';
import { concurrently } from '../../../runtime/loops/concurrently.js';
import { firstInTurns, flatMapInTurns, inTurns, mapInTurns } from '../../../runtime/loops/in-turns.js';
import type { Json } from '../../../runtime/handler/json.js';
import { isLarge, jsonInTurns } from '../../../runtime/handler/json-text.js';
import { list } from '../../../runtime/loops/elements.js';
import { reply } from '../../../runtime/responses/reply.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { anyOf, array, input, integer, object, required } from '../../../runtime/validate/index.js';
import { testCall } from '../../helpers/test-call.js';
import { serve } from '../serve.js';

/** A call whose deadline passes after ten checks. */
const call = () => {
  let left = 10;
  return {
    ...testCall(),
    proceed: () => {
      left -= 1;
      if (left === 0) throw new ServiceError(504, 'The request took too long');
    },
  };
};

/** A request without parameters. */
const nothing = {
  path: () => undefined,
  query: new Texts(),
  header: () => undefined,
  form: undefined,
};

/** Counts event loop turns during the work. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  const state = { turns: 0, isOver: false };
  const done = work.finally(() => (state.isOver = true));
  const counting = (async () => {
    while (!state.isOver) {
      await turn();
      state.turns += 1;
    }
  })();
  await expect(done).rejects.toMatchObject({ status: 504 });
  await counting;
  return state.turns;
}

const works: Readonly<Record<string, () => Promise<unknown>>> = {
  'loops in loops': async () => {
    const own = call();
    for await (const a of inTurns(own, list(100_000)))
      for await (const b of inTurns(own, list(100_000))) if (a + b < 0) return;
  },
  'lists in lists': () => {
    const own = call();
    return mapInTurns(own, list(100_000), async () => {
      await mapInTurns(own, list(100_000), () => null);
      return null;
    });
  },
  'combinations of rows': () => {
    const own = call();
    return flatMapInTurns(own, list(100_000), async () => mapInTurns(own, list(100_000), () => 1));
  },
  'rows of which none gives an object': () => {
    const own = call();
    return firstInTurns(own, list(100_000), () => firstInTurns(own, list(100_000), () => null));
  },
  'JSON of many rows': async () => {
    const value = list(20_000).map((id) => ({ id, name: 'x'.repeat(1000) }));
    const own = call();
    for (;;) await jsonInTurns(own, value);
  },
  'JSON of a long string': async () => {
    const own = call();
    for (;;) await jsonInTurns(own, 'ä'.repeat(10_000_000));
  },
  'a check of a long list': async () => {
    const own = call();
    const schema = input({ body: array(array(integer({ minimum: 0 }), { uniqueItems: true })) });
    const body = [list(50_000), ...list(50_000).map((id) => [id])];
    for (;;) await schema.readInTurns({ ...nothing, body }, own);
  },
  'a check of a large object': async () => {
    const own = call();
    const schema = input({ body: object({}, { additionalProperties: integer() }) });
    const body = Object.fromEntries(list(100_000).map((id) => [`k${id}`, id]));
    for (;;) await schema.readInTurns({ ...nothing, body }, own);
  },
  'iterations at the same time': () =>
    concurrently(call(), 4, list(10_000_000 / 100), async () => {
      for (let index = 0; index < 100_000; index += 1) Math.sqrt(index);
      await Promise.resolve();
    }),
  'ten calls at a time': () =>
    Promise.all(
      Array.from({ length: 10 }, async () => {
        const own = call();
        for await (const a of inTurns(own, list(100_000)))
          for await (const b of inTurns(own, list(100_000))) if (a + b < 0) return;
      }),
    ),
};

test.each(Object.entries(works))('%s give way, and end when the time is over', async (_what, work) => {
  expect(await turnsDuring(work())).toBeGreaterThan(5);
});

test('another request gets its response while one computes', async () => {
  const order: string[] = [];
  const served = await serve({
    'GET /busy': async (busy) => {
      for await (const a of inTurns(busy, list(100_000)))
        for await (const b of inTurns(busy, list(3))) if (order.length > 0) return reply(200, a + b);
      return reply(200);
    },
    'GET /quick': () => {
      order.push('quick');
      return reply(200);
    },
  });
  const busy = fetch(`${served.url}/busy`);
  await fetch(`${served.url}/quick`);
  expect(await (await busy).json()).toEqual(expect.any(Number));
  await served.stop();
});

test('a request over its time is 504, whatever it computes', async () => {
  const served = await serve(
    {
      'GET /busy': async (busy) => {
        for await (const a of inTurns(busy, list(100_000)))
          for await (const b of inTurns(busy, list(100_000))) if (a + b < 0) break;
        return reply(200);
      },
    },
    { limits: { requestTimeout: 200 } },
  );
  expect((await fetch(`${served.url}/busy`)).status).toBe(504);
  await served.stop();
});

test('lists built in turns equal lists built in one go', async () => {
  const rows = list(1000);
  const pairs = await flatMapInTurns(testCall(), rows, (a) => [a, [a]]);
  expect(pairs).toEqual(rows.flatMap((a) => [a, [a]]));
  expect(await firstInTurns(testCall(), rows, (a) => (a > 500 ? a : null))).toBe(501);
  expect(await firstInTurns(testCall(), null, () => 1)).toBeNull();
  expect(await firstInTurns(testCall(), rows, () => Promise.resolve(null))).toBeNull();
});

test('JSON written in turns has the bytes of JSON written in one go', async () => {
  const long = `"\\\u0000ä€😀\ud800${'😀'.repeat(300_000)}\udc00`;
  const values: Json[] = [
    long,
    `x${long}`,
    [],
    {},
    null,
    [[[[long]]], {}, [], null, -0, 1e300, true],
    { [long]: { a: long, '': [] }, b: list(50_000), c: list(3000).map((id) => ({ id, [`n"${id}`]: [id] })) },
    [1, long, 2, 3, long, long, 4],
    list(100_000).map((id) => (id % 1000 === 0 ? list(9000) : id)),
  ];
  for (const value of values)
    expect(
      Buffer.concat(await jsonInTurns(testCall(), value)).equals(Buffer.from(JSON.stringify(value))),
    ).toBe(true);
  expect(values.map(isLarge)).toEqual([true, true, false, false, false, true, true, true, true]);
});

test('a large response and a large request are whole', async () => {
  const value = list(100_000).map((id) => ({ id, name: `name ${id}` }));
  const served = await serve([
    { method: 'GET', path: '/', handler: () => reply(200, value) },
    {
      method: 'POST',
      path: '/',
      body: jsonBody,
      input: input({ body: required(array(object({ id: required(integer({ maximum: 19_000 })) }))) }),
      handler: (own) => reply(200, own.body),
    },
  ]);
  const got = await fetch(served.url);
  expect(got.headers.get('content-length')).toBe(String(Buffer.byteLength(JSON.stringify(value))));
  expect(await got.json()).toEqual(value);
  const head = await fetch(served.url, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const post = (body: Json) => {
    const headers = { 'Content-Type': 'application/json' };
    return fetch(served.url, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  expect(await (await post(value.slice(0, 19_000))).json()).toEqual(value.slice(0, 19_000));
  const refused = await post(value.slice(0, 19_003));
  expect([refused.status, await refused.json()]).toEqual([
    400,
    {
      message:
        'The request is not valid: body[19001].id must be at most 19000, not 19001; body[19002].id must be at most 19000, not 19002',
    },
  ]);
  await served.stop();
});

test('what is checked in turns is rejected for the same errors', async () => {
  const schema = input({
    body: object({
      many: array(anyOf(integer(), array(integer())), { uniqueItems: true, maxItems: 300 }),
      named: object({}, { additionalProperties: integer() }),
    }),
  });
  const body = {
    many: [...list(400), 7, ['x'], null, [list(300)]],
    named: Object.fromEntries(list(500).map((id) => [`n${id}`, id === 400 ? 'no' : id])),
  };
  const atOnce = () => schema.read({ ...nothing, body });
  const logged = await schema.readInTurns({ ...nothing, body }, testCall()).catch((error: unknown) => error);
  const rejection = (message: string) =>
    message
      .replace(/^[^:]*: /, '')
      .split('; ')
      .sort();
  expect(logged).toBeInstanceOf(ServiceError);
  let message = '';
  try {
    atOnce();
  } catch (error) {
    message = error instanceof Error ? error.message : '';
  }
  expect(rejection(logged instanceof Error ? logged.message : '')).toEqual(rejection(message));
  expect(rejection(message).length).toBe(6);
});

test.each<[string, () => Json]>([
  ['objects', () => list(1000).map((id) => ({ id, name: null }))],
  ['one long text many times', () => 'x'.repeat(100_000)],
])('lists that grow beyond LIST_MEMORY end the call: %s', async (_what, build) => {
  const value = build();
  await expect(mapInTurns(testCall(), list(100_000), () => value)).rejects.toMatchObject({
    status: 500,
    details: { log: { reason: expect.stringContaining('LIST_MEMORY') as string } },
  });
});

test('the names of a large object are listed no more often than needed: each time takes long, without a pause', async () => {
  let listed = 0;
  const fields = Object.fromEntries(list(10_000).map((id) => [`k${id}`, id]));
  const value = new Proxy(fields, {
    ownKeys(target) {
      listed += 1;
      return Reflect.ownKeys(target);
    },
  });
  await jsonInTurns(testCall(), { value });
  // Once for the response, once for its field, and once for writing it.
  expect(listed).toBe(3);
});
