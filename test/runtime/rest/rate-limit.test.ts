/** `limit` of a datasource: how many requests start per second and run concurrently, and which requests are refused immediately. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { rateLimit } from '../../../runtime/rest/rate-limit.js';
import { rest, type RestDatasource } from '../../../runtime/rest/rest.js';
import { retry } from '../../../runtime/rest/retry.js';
import { testCall } from '../../helpers/test-call.js';
import { ThirdParty, type Behaviour } from '../../helpers/third-party.js';

const callSite = { datasource: 'api', operation: 'test', fulfillment: 'x' };

afterEach(() => {
  vi.useRealTimers();
});

/** Requests turns, and records when each starts, in milliseconds from now. */
function turnsOf(
  limit: ReturnType<typeof rateLimit>,
  calls: readonly Call[],
): { readonly begun: (number | string)[]; readonly ends: (() => void)[] } {
  const start = performance.now();
  const begun: (number | string)[] = [];
  const ends: (() => void)[] = [];
  for (const call of calls)
    void limit.turn(call, callSite).then(
      (end) => {
        begun.push(Math.round(performance.now() - start));
        ends.push(end);
      },
      (error: unknown) => {
        begun.push(
          error instanceof ServiceError ? `${error.status} ${error.details.retryAfter ?? '-'}` : 'gone',
        );
      },
    );
  return { begun, ends };
}

const callsOf = (count: number, milliseconds = 60_000): Call[] =>
  Array.from({ length: count }, () => testCall(milliseconds));

test('in no second more than perSecond requests begin, and the first ones immediately', async () => {
  vi.useFakeTimers();
  const { begun } = turnsOf(rateLimit({ perSecond: 3 }), callsOf(8));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(begun).toEqual([0, 0, 0, 1000, 1000, 1000, 2000, 2000]);
});

test('the window moves: it is not the second of the clock', async () => {
  vi.useFakeTimers();
  const limit = rateLimit({ perSecond: 2 });
  const first = turnsOf(limit, callsOf(1));
  await vi.advanceTimersByTimeAsync(900);
  const { begun } = turnsOf(limit, callsOf(3));
  await vi.advanceTimersByTimeAsync(5_000);
  expect([first.begun, begun]).toEqual([[0], [0, 100, 1000]]);
});

test('less than one a second', async () => {
  vi.useFakeTimers();
  const { begun } = turnsOf(rateLimit({ perSecond: 0.5 }), callsOf(3));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(begun).toEqual([0, 2000, 4000]);
});

test('atOnce: the end of one is the turn of the next, in the order in which they came', async () => {
  vi.useFakeTimers();
  const { begun, ends } = turnsOf(rateLimit({ atOnce: 2 }), callsOf(4));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun).toEqual([0, 0]);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun).toEqual([0, 0, 1000]);
  ends[1]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual([0, 0, 1000, 2000]);
});

test('both: who comes while others are under way begins when they end', async () => {
  vi.useFakeTimers();
  const { begun, ends } = turnsOf(rateLimit({ perSecond: 10, atOnce: 1 }), callsOf(2));
  await vi.advanceTimersByTimeAsync(3_000);
  expect(begun).toEqual([0]);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun).toEqual([0, 3000]);
});

test('calls that would wait longer than their limit end immediately, without a place in the queue', async () => {
  vi.useFakeTimers();
  const limit = rateLimit({ perSecond: 2 });
  const { begun } = turnsOf(limit, [...callsOf(6), ...callsOf(1, 2_500), ...callsOf(1)]);
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual([0, 0, '503 3']);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(begun).toEqual([0, 0, '503 3', 1000, 1000, 2000, 2000, 3000]);
});

test('who waits until the end of the call, or whose client has gone, gives the turn to the next', async () => {
  vi.useFakeTimers();
  let isGone = false;
  const gone: Call = {
    ...testCall(60_000),
    proceed: () => {
      if (isGone) throw new Error('gone');
    },
  };
  const { begun, ends } = turnsOf(rateLimit({ atOnce: 1 }), [
    ...callsOf(1),
    ...callsOf(1, 500),
    gone,
    ...callsOf(1),
  ]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun).toEqual([0, '503 1']);
  isGone = true;
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual([0, '503 1', 'gone', 1000]);
});

let api: ThirdParty;
let behaviour: Behaviour;
const opened: RestDatasource[] = [];
beforeAll(async () => {
  api = await ThirdParty.start((...asked) => {
    behaviour(...asked);
  });
});
afterAll(async () => {
  for (const datasource of opened) datasource.close();
  await api.stop();
});

test('requests are limited with their tries, whatever their end is', async () => {
  let underWay = 0;
  let most = 0;
  let count = 0;
  behaviour = (_request, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    count += 1;
    const isLost = count % 3 === 0;
    setTimeout(() => {
      underWay -= 1;
      if (isLost) response.destroy();
      else response.writeHead(count % 3 === 1 ? 503 : 200).end();
    }, 5);
  };
  const datasource = rest({
    ...{ name: 'api', limit: rateLimit({ atOnce: 2 }) },
    retry: retry({ times: 5, wait: 0 }),
  });
  opened.push(datasource);
  datasource.open({ url: api.url, responseLimit: 1000 });
  const request = datasource.requestWithStatus({ operation: 'test', fulfillment: 'x', method: 'GET' });
  const all = await Promise.allSettled(Array.from({ length: 12 }, () => request(testCall(), { url: '/' })));
  expect(all).toHaveLength(12);
  expect(most).toBe(2);
  expect(api.take().length).toBeGreaterThan(12);
});
