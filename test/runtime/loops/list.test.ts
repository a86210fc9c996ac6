/** LIST(n): the integers from 0, and invalid counts. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import { list } from '../../../runtime/loops/elements.js';
import { loopLimit } from '../../../runtime/handler/memory.js';
import { ServiceError } from '../../../runtime/handler/reply.js';

afterEach(() => {
  loopLimit.elements = 100_000;
});

function errorOf(run: () => unknown): ServiceError {
  try {
    run();
  } catch (error) {
    if (error instanceof ServiceError) return error;
  }
  throw new Error('no ServiceError');
}

test.each<[Json, number[]]>([
  [3, [0, 1, 2]],
  ['3', [0, 1, 2]],
  ['003', [0, 1, 2]],
  [0, []],
  [-0, []],
  ['0', []],
])('LIST(%j) is the integers from 0', (count, expected) => {
  expect(list(count)).toEqual(expected);
});

describe.each<[Json | undefined]>([
  [null],
  [undefined],
  [-1],
  ['-1'],
  ['abc'],
  [''],
  [' 3'],
  [1.5],
  ['1.5'],
  [1e9],
  ['1e9'],
  ['100001'],
  [100_001],
  ['9'.repeat(400)],
  ['٣'],
  [true],
  [[3]],
  [{}],
])('LIST(%j) is an error', (count) => {
  test('500, and 400 when the count is from the request; the log names the list', () => {
    expect(errorOf(() => list(count, { name: 'pages' }))).toMatchObject({
      status: 500,
      message: 'Internal server error',
      details: { log: { list: 'pages' } },
    });
    const error = errorOf(() => list(count, { name: 'pages', fromRequest: true }));
    expect(error).toMatchObject({ status: 400, details: { log: { list: 'pages' } } });
    expect(error.message).toBe('A count from 0 to 100000 is expected');
  });
});

test('the log shows a number and no text: that may be data', () => {
  const reason = (count: Json) => errorOf(() => list(count)).details.log?.['reason'];
  expect(reason(1e9)).toBe('LIST of 1000000000 elements, not of 0 to 100000 (LOOP_LIMIT)');
  expect(reason('canary')).toBe('LIST of a string that is not a count, not of 0 to 100000 (LOOP_LIMIT)');
  expect(reason(null)).toBe('LIST of null, not of 0 to 100000 (LOOP_LIMIT)');
});

test('LOOP_LIMIT is the last count that is allowed', () => {
  expect(list(100_000)).toHaveLength(100_000);
  loopLimit.elements = 2;
  expect(list('2')).toEqual([0, 1]);
  expect(errorOf(() => list(3)).status).toBe(500);
});
