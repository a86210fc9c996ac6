/** Traces of loops and of many steps: their structure and limits. */
import { expect, test } from 'vitest';
import { fail, ServiceError } from '../../../runtime/handler/reply.js';
import { record } from '../../../runtime/trace/recording.js';
import type { TraceStep } from '../../../runtime/trace/steps.js';
import { traced } from '../../../runtime/trace/traced.js';
import { returnsRows } from '../../../runtime/trace/traced-database.js';
import { testCall } from '../../helpers/test-call.js';

async function stepsOf(run: () => void): Promise<readonly TraceStep[]> {
  const { trace, result } = record('operation', () => {
    run();
    return { status: 200 };
  });
  await result;
  return trace.steps;
}

test('without a trace everything is what it was', async () => {
  expect([...traced.loop('a', [1, 2])]).toEqual([1, 2]);
  expect(traced.if('a', 'b', true)).toBe(true);
  expect(traced.if('a', 'b', false)).toBe(false);
  const run = (): Promise<undefined> => Promise.resolve(undefined);
  expect(traced.iterations('a', run)).toBe(run);
  expect(await traced.reference('a', 'b', () => Promise.resolve({ status: 204 }))).toEqual({ status: 204 });
  expect(await traced.code('a', 'b', () => Promise.resolve(1))).toBe(1);
  expect(await traced.compute('a', () => Promise.resolve(1))).toBe(1);
});

test('a COMPUTE is shown with its duration or its error, without its value', async () => {
  const { trace, result } = record('operation', async () => {
    await traced.compute('made', () => Promise.resolve({ token: 'a secret' }));
    await traced.compute('failing', () => Promise.reject(new ServiceError(503, 'The service is busy')));
    return { status: 200 };
  });
  await expect(result).rejects.toThrow('The service is busy');
  expect(trace.steps).toEqual([
    { kind: 'compute', fulfillment: 'made', milliseconds: expect.any(Number) as number },
    {
      ...{ kind: 'compute', fulfillment: 'failing', milliseconds: expect.any(Number) as number },
      failure: 'The service is busy',
    },
  ]);
});

test('a loop that breaks, and a nested loop: the steps after them are their siblings', async () => {
  const steps = await stepsOf(() => {
    for (const outer of traced.loop('outer', ['a', 'b'])) {
      for (const inner of traced.loop('inner', [1, 2, 3])) {
        if (traced.loopbreak('inner', 'it is the second', inner === 2)) break;
      }
      if (traced.if('last', 'it is the last', outer === 'b')) traced.default('inside');
    }
    traced.default('after');
  });
  const inner = {
    kind: 'loop',
    fulfillment: 'inner',
    iterations: 2,
    steps: [false, true].map((holds, position) => ({
      kind: 'iteration',
      position,
      steps: [{ kind: 'loopbreak', name: 'inner', condition: 'it is the second', holds }],
    })),
  };
  const last = (holds: boolean) => ({ kind: 'if', name: 'last', condition: 'it is the last', holds });
  expect(steps).toEqual([
    {
      kind: 'loop',
      fulfillment: 'outer',
      iterations: 2,
      steps: [
        { kind: 'iteration', position: 0, steps: [inner, last(false)] },
        { kind: 'iteration', position: 1, steps: [inner, last(true), { kind: 'default', name: 'inside' }] },
      ],
    },
    { kind: 'default', name: 'after' },
  ]);
});

test('a thousand steps are kept, the others counted', async () => {
  const { trace, result } = record('operation', () => {
    for (const each of traced.loop(
      'each',
      Array.from({ length: 5000 }, (_, index) => index),
    ))
      traced.if('each', 'it is there', each >= 0);
    return { status: 200 };
  });
  await result;
  expect(trace.omitted).toBe(1 + 2 * 5000 - 1000);
  const [loop] = trace.steps;
  expect(loop).toMatchObject({ kind: 'loop', iterations: 5000 });
  expect(JSON.stringify(trace).length).toBeLessThan(200_000);
});

test('texts of half a million characters are kept, the others counted', async () => {
  const { trace, result } = record('operation', () => {
    for (let index = 0; index < 100; index += 1) traced.if('x', 'y'.repeat(20_000), true);
    return { status: 200 };
  });
  await result;
  expect(JSON.stringify(trace).length).toBeLessThan(600_000);
  expect(trace.omitted).toBe(100 - trace.steps.length);
  expect(trace.steps.length).toBeGreaterThan(20);
});

test('an unexpected error is not shown: its message may contain data', async () => {
  const { trace, result } = record('operation', (): { status: number } => {
    throw new Error('secret data');
  });
  await expect(result).rejects.toThrow('secret data');
  expect(trace).toMatchObject({ status: 500, failure: 'An unexpected error: see the log' });
});

test.each([
  [new ServiceError(504, 'The request took too long'), 'The request took too long'],
  [
    new ServiceError(503, 'Busy', { log: { reason: 'no connection', code: '53300', datasource: 'main' } }),
    'Busy (reason no connection, code 53300)',
  ],
])('an error of the service has its message, and what the log says', async (error, failure) => {
  const { trace, result } = record('operation', () => Promise.reject(error));
  await expect(result).rejects.toBe(error);
  expect(trace).toMatchObject({ status: error.status, failure });
});

test('an exception is a response: nothing has failed', async () => {
  const { trace, result } = record('operation', async () => {
    await traced.reference('news', 'find news', () => Promise.reject(fail(404, 'No such news')));
    return { status: 200 };
  });
  await expect(result).rejects.toThrow('No such news');
  expect(trace).toMatchObject({ status: 404, steps: [{ kind: 'reference', fulfillment: 'news' }] });
  expect([trace, ...trace.steps].filter((part) => 'failure' in part)).toEqual([]);
});

test('what runs again after a conflict leaves the steps of its last run', async () => {
  const { trace, result } = record('operation', async () => {
    traced.default('before');
    let runs = 0;
    const attempt = traced.attempt((call) => {
      runs += 1;
      traced.if('a', `run ${runs}, ${call.deadline}`, true);
      if (runs < 3) traced.default('undone');
      return Promise.resolve({ status: 204 });
    });
    for (let times = 0; times < 3; times += 1) await attempt(testCall(Infinity));
    traced.default('after');
    return { status: 204 };
  });
  await result;
  expect(
    trace.steps.map((step) => ('condition' in step ? step.condition : 'name' in step && step.name)),
  ).toEqual(['before', 'run 3, Infinity', 'after']);
});

test.each([
  ['INSERT INTO news (title) VALUES ($1) RETURNING id', true],
  ['WITH gone AS (DELETE FROM news RETURNING id) SELECT id FROM gone', true],
  [
    'WITH made AS (INSERT INTO news (title) VALUES ($1) RETURNING id) INSERT INTO log SELECT id FROM made',
    false,
  ],
  ["UPDATE news SET title = 'returning' -- returning", false],
])('whether PostgreSQL returns rows of %s: %s', (sql, expected) => {
  expect(returnsRows(sql)).toBe(expected);
});
