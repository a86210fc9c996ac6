/** The memory budget shared by all requests of a process: shares of requests, and what happens to waiting responses. */
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { noteChange } from '../../../runtime/handler/call.js';
import {
  MemoryBound,
  memoryBudget,
  MemoryBudget,
  MemoryShare,
  shareOfCopies,
} from '../../../runtime/handler/memory.js';
import { reply } from '../../../runtime/responses/reply.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import type { Handler } from '../../../runtime/http/route.js';
import { IndexedResults } from '../../../runtime/loops/indexed-results.js';
import { mapInTurns } from '../../../runtime/loops/in-turns.js';
import { testCall } from '../../helpers/test-call.js';
import { serve } from '../serve.js';

const mebibyte = 1024 * 1024;
const refused = expect.objectContaining({
  status: 503,
  details: expect.objectContaining({ retryAfter: 2 }) as object,
}) as object;

// Calls made directly by other test files in this process never end, so they still hold memory.
beforeAll(() => {
  memoryBudget.taken = 0;
});

function errorOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}

test.each([
  [256, 1, 96],
  [512, 1, 249.6],
  [768, 1, 403.2],
  [768, 2, 144],
  [128, 1, 19.2],
  [100, 1, 12.5],
])('%d MiB for %d processes: %d MiB', (container, processes, expected) => {
  const constrained = vi.spyOn(process, 'constrainedMemory').mockReturnValue(container * mebibyte);
  onTestFinished(() => {
    constrained.mockRestore();
  });
  const budget = new MemoryBudget();
  budget.follow(processes);
  expect(budget.limit / mebibyte).toBeCloseTo(expected);
});

test('without a container it is the memory of the machine', () => {
  const constrained = vi.spyOn(process, 'constrainedMemory');
  onTestFinished(() => {
    constrained.mockRestore();
  });
  const limits = [0, 2 ** 64].map((bytes) => {
    constrained.mockReturnValue(bytes);
    const budget = new MemoryBudget();
    budget.follow(1);
    return budget.limit;
  });
  expect(limits[0]).toBe(limits[1]);
  expect(limits[0]).toBeLessThan(2 ** 48);
});

test('beyond the limit it is 503; a call that has changed something has a quarter more', () => {
  const budget = new MemoryBudget();
  budget.limit = 100;
  budget.take(100);
  expect(
    errorOf(() => {
      budget.take(1);
    }),
  ).toEqual(refused);
  budget.take(25, true);
  expect(
    errorOf(() => {
      budget.take(1, true);
    }),
  ).toEqual(refused);
  budget.give(26);
  budget.take(1);
  expect(budget.taken).toBe(100);
});

test('responses that wait long make room, the oldest first: after 2 s for others, after 10 s for requests', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const budget = new MemoryBudget();
  budget.limit = 100;
  const dropped: string[] = [];
  const wait = (name: string, bytes: number): object => {
    const response = {};
    budget.wait(response, bytes, () => dropped.push(name), false);
    return response;
  };
  wait('a', 40);
  wait('b', 40);
  expect(errorOf(() => wait('c', 40))).toEqual(refused);
  vi.advanceTimersByTime(2001);
  const third = wait('c', 40);
  expect(dropped).toEqual(['a']);
  expect(
    errorOf(() => {
      budget.take(40);
    }),
  ).toEqual(refused);
  vi.advanceTimersByTime(8000);
  budget.take(40);
  expect(dropped).toEqual(['a', 'b']);
  budget.sent(third);
  budget.sent(third);
  expect(budget.taken).toBe(40);
});

/** Starts a server with a budget of 1 MiB, which is used up until `release` is called. */
async function serveFull(operations: Readonly<Record<string, Handler>>) {
  const { limit } = memoryBudget;
  memoryBudget.limit = mebibyte;
  const others = shareOfCopies();
  others.take(mebibyte);
  const served = await serve(operations);
  onTestFinished(async () => {
    others.release();
    memoryBudget.limit = limit;
    await served.stop();
  });
  const ask = async (method: string, path: string, body?: string) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(served.url + path, { method, ...(body !== undefined && { body, headers }) });
    await response.text();
    return [response.status, response.headers.get('retry-after')];
  };
  const release = (): void => {
    others.release();
  };
  return { ask, release };
}

test('large bodies and responses are 503, small ones are served; responses after a change have the reserve', async () => {
  let changes = 0;
  const changing =
    (length: number): Handler =>
    (call) => {
      noteChange(call);
      changes += 1;
      return reply(200, 'x'.repeat(length));
    };
  const { ask, release } = await serveFull({
    'GET /large': () => reply(200, 'x'.repeat(200_000)),
    'GET /small': () => reply(200, 'x'),
    'POST /small': changing(1),
    'POST /large': changing(200_000),
    'POST /larger': changing(600_000),
  });
  const body = JSON.stringify('x'.repeat(300_000));
  expect(await ask('GET', '/large')).toEqual([503, '2']);
  expect(await ask('GET', '/small')).toEqual([200, null]);
  expect(await ask('POST', '/small', body)).toEqual([503, '2']);
  expect(changes).toBe(0);
  expect(await ask('POST', '/small', '{}')).toEqual([200, null]);
  expect(await ask('POST', '/large')).toEqual([200, null]);
  // Not a 503, because a client that retries would make the change twice.
  expect(await ask('POST', '/larger')).toEqual([500, null]);
  release();
  expect(await ask('GET', '/large')).toEqual([200, null]);
  expect(await ask('POST', '/larger')).toEqual([200, null]);
  expect(await ask('POST', '/small', body)).toEqual([200, null]);
  await expect.poll(() => memoryBudget.taken).toBe(0);
});

test('lists and indexed results count by their highest value', async () => {
  const held: number[] = [];
  const call = { ...testCall(), hold: (bytes: number) => held.push(bytes) };
  await mapInTurns(call, [1, 2, 3], () => 'x'.repeat(50_000));
  const results = new IndexedResults(call);
  results.set('a', 'x'.repeat(100_000));
  results.set('a', 'x');
  results.set('a', 'x'.repeat(100_000));
  expect(held.map((bytes) => Math.round(bytes / 10_000))).toEqual([10, 15]);
});

test('a response alone may have any size', () => {
  const budget = new MemoryBudget();
  budget.limit = 100;
  const response = {};
  budget.wait(response, 1000, () => undefined, false);
  expect(budget.taken).toBe(1000);
  budget.sent(response);
  expect(budget.taken).toBe(0);
});

test('a share is within the limit of its kind and in the budget, and gives all back', () => {
  const { limit } = memoryBudget;
  onTestFinished(() => {
    memoryBudget.limit = limit;
  });
  memoryBudget.limit = 100;
  const bound = new MemoryBound(() => new ServiceError(503, 'of its kind'));
  const first = new MemoryShare(bound, 60, false);
  first.growTo(50);
  first.growTo(40);
  expect(memoryBudget.taken).toBe(50);
  expect(
    errorOf(() => {
      first.take(11);
    }),
  ).toMatchObject({ message: 'of its kind' });
  const other = new MemoryShare(new MemoryBound(() => new ServiceError(503, 'other')), Infinity, true);
  expect(
    errorOf(() => {
      other.take(51);
    }),
  ).toEqual(refused);
  other.take(50);
  first.release();
  first.release();
  // A single share may exceed the limit if nothing else is held.
  other.take(500);
  expect(memoryBudget.taken).toBe(550);
  other.release();
  expect(memoryBudget.taken).toBe(0);
});
