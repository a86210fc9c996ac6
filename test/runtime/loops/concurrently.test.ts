/** `concurrency: n` on a LOOP: the same results, indexes and errors as for sequential iterations. */
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { concurrently } from '../../../runtime/loops/concurrently.js';
import { IndexedResults } from '../../../runtime/loops/indexed-results.js';
import type { Json } from '../../../runtime/handler/json.js';
import { fail } from '../../../runtime/handler/reply.js';
import { testCall } from '../../helpers/test-call.js';
import { runs } from '../../helpers/runs.js';

describe('iterations', () => {
  test('at most the given number at a time, started in the order of the elements, each with its position', async () => {
    let running = 0;
    let max = 0;
    const started: string[] = [];
    await concurrently(testCall(), 3, ['a', 'b', 'c', 'd', 'e', 'f', 'g'], async (element, position) => {
      started.push(`${element}${position}`);
      running += 1;
      max = Math.max(max, running);
      await delay(5 - (position % 3));
      running -= 1;
    });
    expect(max).toBe(3);
    expect(started).toEqual(['a0', 'b1', 'c2', 'd3', 'e4', 'f5', 'g6']);
  });

  test('one after the other inside a transaction, where the first failure ends everything', async () => {
    const order: string[] = [];
    const call = { ...testCall(), transaction: { join: () => undefined } };
    await concurrently(call, 3, ['a', 'b'], async (element) => {
      order.push(`${element} begins`);
      await delay(2);
      order.push(`${element} ends`);
    });
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  test('nothing to go through', async () => {
    const run = concurrently(testCall(), 4, [], () => Promise.reject(new Error('there is an element')));
    await expect(run).resolves.toBeUndefined();
  });

  test('the first error in the order of the elements is thrown, whichever was first', async () => {
    const run = async (milliseconds: number): Promise<void> => {
      await delay(milliseconds);
      throw fail(400 + milliseconds, 'x');
    };
    await expect(concurrently(testCall(), 3, [30, 1, 20], run)).rejects.toEqual(fail(430, 'x'));
  });

  test('an error and an exception: the earlier element counts', async () => {
    const run = async (what: string): Promise<void> => {
      await delay(what === 'error' ? 10 : 1);
      throw what === 'error' ? new Error('broken') : fail(404, 'none');
    };
    await expect(concurrently(testCall(), 2, ['error', 'exception'], run)).rejects.toThrow('broken');
    await expect(concurrently(testCall(), 2, ['exception', 'error'], run)).rejects.toThrow('none');
  });

  test('what is thrown before the first await ends the loop too', async () => {
    const run = (): Promise<void> => {
      throw new Error('at once');
    };
    await expect(concurrently(testCall(), 2, [1, 2], run)).rejects.toThrow('at once');
  });

  test('after an ending no iteration is started, and those that run are waited for', async () => {
    const started: number[] = [];
    const ended: number[] = [];
    const loop = concurrently(testCall(), 3, [0, 1, 2, 3, 4, 5], async (element) => {
      started.push(element);
      await delay(element === 1 ? 1 : 30);
      ended.push(element);
      if (element === 1) throw fail(409, 'x');
    });
    await expect(loop).rejects.toThrow('x');
    expect(started).toEqual([0, 1, 2]);
    expect(ended.sort()).toEqual([0, 1, 2]);
  });

  test('any loop ends as when its iterations run one after the other', async () => {
    const iteration = fc.record({
      turns: fc.nat(4),
      ends: fc.constantFrom('no', 'no', 'exception', 'error'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(iteration, { maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (all, limit) => {
          const run = async ({ turns, ends }: (typeof all)[number], position: number) => {
            for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
            if (ends === 'error') throw new Error(String(position));
            if (ends === 'exception') throw fail(400, `exception ${position}`);
          };
          const outcome = async (at: number) =>
            concurrently(testCall(), at, all, run).catch((error: unknown) => (error as Error).message);
          expect(await outcome(limit)).toEqual(await outcome(1));
        },
      ),
      { numRuns: runs(32, 500) },
    );
  });
});

describe('index and VALUE_BY_INDEX', () => {
  test.each<[Json, Json]>([
    [7, '7'],
    ['7', 7],
    [true, 'true'],
    [{ a: [1] }, '{"a":[1]}'],
    ['', ''],
    ['__proto__', '__proto__'],
  ])('the index %j is found by %j', (stored, sought) => {
    const results = new IndexedResults(testCall());
    results.set(stored, ['result']);
    expect(results.get(sought)).toEqual(['result']);
  });

  test('an index that nothing was stored under is null', () => {
    const results = new IndexedResults(testCall());
    results.set('a', 1);
    expect([results.get('b'), results.get('constructor'), results.get(null), results.get(undefined)]).toEqual(
      [null, null, null, null],
    );
  });

  test('null stores nothing', () => {
    const results = new IndexedResults(testCall());
    results.set(null, 1);
    results.set(undefined, 1);
    expect([results.get(null), results.get('null'), results.get('')]).toEqual([null, null, null]);
  });

  test('a later iteration replaces the earlier one', () => {
    const results = new IndexedResults(testCall());
    results.set('a', 1);
    results.set('a', 2);
    expect(results.get('a')).toBe(2);
  });

  test('also when they ran at the same time: the position decides', () => {
    const results = new IndexedResults(testCall());
    results.set('a', 'third', 2);
    results.set('a', 'first', 0);
    results.set('a', 'second', 1);
    expect(results.get('a')).toBe('third');
  });

  test('in nested loops the outer position decides before the inner one; inside of one iteration the later call', () => {
    const results = new IndexedResults(testCall());
    results.set('a', 'second, first', 1, 0);
    results.set('a', 'first, last', 0, 9);
    expect(results.get('a')).toBe('second, first');
    results.set('a', 'second, again', 1);
    expect(results.get('a')).toBe('second, again');
  });
});
