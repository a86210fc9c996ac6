/** Work that waits for nothing: others get their turn meanwhile, the time of the call holds, and what it builds has a bound. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { concurrently } from '../../../runtime/concurrently.js';
import { inTurns, mapInTurns } from '../../../runtime/in-turns.js';
import type { Json } from '../../../runtime/json.js';
import { list } from '../../../runtime/list.js';
import { reply } from '../../../runtime/reply.js';
import { ServiceError } from '../../../runtime/service-error.js';
import { testCall } from '../../helpers/test-call.js';
import { serve } from '../serve.js';

/** A call whose time is over when it has been asked ten times whether it is. */
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

/** Counts the turns of the event loop while the work is done. */
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

test('another request is answered while one computes', async () => {
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
