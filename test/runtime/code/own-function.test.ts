/** Functions of user code in expressions: their arguments, their results, and what they throw. */
import { expect, test } from 'vitest';
import { ownFunction } from '../../../runtime/code/own-function.js';
import { fail, isFailure, ServiceError } from '../../../runtime/handler/reply.js';
import { describeFailure } from '../../../runtime/server/log.js';
import {
  any,
  array,
  integer,
  nullable,
  object,
  required,
  string,
  type Schema,
} from '../../../runtime/validate/index.js';

/** A function that returns what the work returns. */
function of(work: (...input: never[]) => unknown, input: Schema[] = [], returns: Schema = any()) {
  const run = work as (...input: readonly unknown[]) => unknown;
  return ownFunction<readonly unknown[], unknown>({ name: 'mischief', run, input, returns });
}

/** The error thrown by a call. */
function thrownBy(call: () => unknown): Error {
  try {
    call();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('It throws nothing.');
}

function logOf(call: () => unknown): unknown {
  const error = thrownBy(call);
  expect(error).toBeInstanceOf(ServiceError);
  return error instanceof ServiceError ? { status: error.status, ...error.details.log } : undefined;
}

test('it gets its arguments: undefined as null, lists and objects as frozen copies', () => {
  const passed: unknown[] = [];
  const list = [{ a: 1 }];
  const called = of(
    (...input) => passed.push(...(input as unknown[])),
    [nullable(string()), array(any()), integer()],
  );
  expect(called(undefined, list, '123456789012345678901')).toBe(3);
  expect(passed).toEqual([null, [{ a: 1 }], '123456789012345678901']);
  expect(passed[1]).not.toBe(list);
  expect(Object.isFrozen(passed[1])).toBe(true);
  expect(Object.isFrozen((passed[1] as unknown[])[0])).toBe(true);
});

test('a wrong argument is 400 in a call that reads the request, otherwise 500, and the function is not called', () => {
  let calls = 0;
  const called = of(() => (calls += 1), [object({ title: required(string()) }), integer()]);
  const wrong = thrownBy(() => called.ofRequest({ title: 'a' }, 'secret'));
  expect(wrong).toMatchObject({
    status: 400,
    message: 'A value of the request is not valid: it must be an integer',
  });
  expect(thrownBy(() => called.ofRequest({}, 1))).toMatchObject({
    status: 400,
    message: 'A value of the request is not valid: /title is missing',
  });
  expect(logOf(() => called({ title: 'a' }, 'secret'))).toEqual({
    ...{ status: 500, function: 'mischief', pointer: '', reason: 'an argument must be an integer' },
  });
  expect(logOf(() => called({ title: () => 1 }, 1))).toEqual({
    ...{ status: 500, function: 'mischief', pointer: '/title', reason: 'an argument is a function' },
  });
  expect(calls).toBe(0);
});

test.each<[string, () => unknown, unknown]>([
  ['a date', () => new Date(0), '1970-01-01T00:00:00.000Z'],
  ['a BigInt', () => 12n, 12],
  ['a BigInt that no double holds', () => 2n ** 70n, String(2n ** 70n)],
  ['undefined fields', () => ({ a: undefined, b: [null] }), { b: [null] }],
])('%s is copied as JSON', (_, work, expected) => {
  expect(of(work)()).toEqual(expected);
});

test('a result is a copy, so that the function cannot change it later', () => {
  const kept = { list: [1] };
  const result = of(() => kept)();
  kept.list.push(2);
  expect(result).toEqual({ list: [1] });
});

test.each<[string, () => unknown, string, string]>([
  ['undefined', () => undefined, '', 'the result is undefined'],
  ['NaN', () => [Number.NaN], '/0', 'the result is not a finite number'],
  ['a function', () => ({ a: () => 1 }), '/a', 'the result is a function'],
  ['an instance of a class', () => new Map(), '', 'the result is an instance of a class'],
  ['an invalid date', () => new Date(Number.NaN), '', 'the result is an invalid date'],
  [
    'a promise',
    () => Promise.resolve(1),
    '',
    'the result is a promise, and functions in expressions are synchronous',
  ],
  ['another type', () => 7, '', 'the result must be a string'],
])('%s as a result is 500, and the log has the reason without the value', (kind, work, pointer, reason) => {
  const returns = kind === 'another type' ? string() : any();
  expect(logOf(of(work, [], returns))).toEqual({ status: 500, function: 'mischief', pointer, reason });
});

test('the rejection of a promise is not reported a second time', async () => {
  const unhandled: unknown[] = [];
  const before = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (reason) => unhandled.push(reason));
  expect(thrownBy(of(() => Promise.reject(new Error('late'))))).toMatchObject({ status: 500 });
  // Node reports rejections after the microtasks of a turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.removeAllListeners('unhandledRejection');
  for (const listener of before) process.on('unhandledRejection', listener);
  expect(unhandled).toEqual([]);
});

test('a failure passes as it is; of other errors, the log has no message with data', () => {
  const failure = thrownBy(
    of(() => {
      throw fail(409, 'Sold out', { code: 'sold-out' });
    }),
  );
  expect(isFailure(failure) && [failure.status, failure.message, failure.code]).toEqual([
    ...[409, 'Sold out', 'sold-out'],
  ]);
  const other = thrownBy(
    of(() => {
      throw new Error('the card number is 4111');
    }),
  );
  expect(other).toMatchObject({ status: 500, message: 'Internal server error' });
  const logged = JSON.stringify(describeFailure(other));
  expect(logged).toContain('mischief');
  expect(logged).not.toContain('4111');
  expect(logged).not.toContain('fulfillment');
});
