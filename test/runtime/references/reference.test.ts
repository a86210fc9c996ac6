/** Reference calls: parameters, bodies, results, and the depth of calls. */
import { describe, expect, test } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import type { Json, JsonObject } from '../../../runtime/handler/json.js';
import { callOperation, referenceCall } from '../../../runtime/references/reference.js';
import { fail, ServiceError } from '../../../runtime/handler/reply.js';
import { reply } from '../../../runtime/responses/reply.js';
import { callOrContinue } from '../../../runtime/references/call-or-continue.js';
import { testCall } from '../../helpers/test-call.js';

function request(parameters: Record<string, Json>, body: Json = null): Call {
  return {
    ...testCall(),
    body,
    param: (name) => (Object.hasOwn(parameters, name) ? (parameters[name] ?? null) : null),
    file: () => null,
  };
}

describe('PARAM reads the passed parameters first, then the request', () => {
  const outer = request({ id: '7', page: '2' });
  test('a passed one, one of the request, and one that nobody passes', () => {
    const call = referenceCall(outer, { parameters: { id: 8 } });
    expect([call.param('id'), call.param('page'), call.param('nothing')]).toEqual([8, '2', null]);
  });

  test('a null that is passed counts as passed', () => {
    expect(referenceCall(outer, { parameters: { id: null } }).param('id')).toBeNull();
  });

  test('the inner reference precedes the outer one', () => {
    const call = referenceCall(referenceCall(outer, { parameters: { id: 8, more: 'x' } }), {
      parameters: { id: 9 },
    });
    expect([call.param('id'), call.param('more'), call.param('page')]).toEqual([9, 'x', '2']);
  });

  test('own properties only', () => {
    const call = referenceCall(request({}), { parameters: {} });
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      expect(call.param(name)).toBeNull();
    const parameters = JSON.parse('{"__proto__": "given"}') as JsonObject;
    expect(referenceCall(outer, { parameters }).param('__proto__')).toBe('given');
  });
});

describe('an error of a value names what the client has sent', () => {
  const outer = request({ id: '7', zip: 'x' }, { a: 1 });
  const failing = (fault: { in: string; name: string }): Promise<never> =>
    Promise.reject(
      new ServiceError(400, 'named', {
        faults: [{ ...fault, pointer: null, message: 'does not fit' }],
        log: { reason: 'logged' },
      }),
    );
  const unnamed = 'The database does not accept a value of the request';
  test.each<[string, { in: string; name: string }, Parameters<typeof referenceCall>[1], string]>([
    [
      'a passed parameter of another name',
      { in: 'parameter', name: 'p' },
      { parameters: { p: '7' } },
      unnamed,
    ],
    [
      'a passed parameter of another value',
      { in: 'parameter', name: 'id' },
      { parameters: { id: 8 } },
      unnamed,
    ],
    ['a parameter that is passed on', { in: 'parameter', name: 'id' }, { parameters: { id: '7' } }, 'named'],
    ['a parameter of the request', { in: 'parameter', name: 'zip' }, { parameters: { id: 8 } }, 'named'],
    ['a parameter of the query', { in: 'query', name: 'id' }, { parameters: { id: 8 } }, 'named'],
    ['a passed null', { in: 'parameter', name: 'no' }, { parameters: { no: null } }, unnamed],
    ['a passed body', { in: 'body', name: 'a' }, { body: { a: 1 } }, unnamed],
    ['a body that is passed on', { in: 'body', name: 'a' }, { body: outer.body }, 'named'],
    ['the body of the request', { in: 'body', name: 'a' }, {}, 'named'],
  ])('%s', async (_, fault, passed, message) => {
    const error: unknown = await callOperation(outer, () => failing(fault), passed).catch(
      (one: unknown) => one,
    );
    const faults = message === unnamed ? {} : { faults: [{ name: fault.name }] };
    expect(error).toMatchObject({ status: 400, message, details: { log: { reason: 'logged' }, ...faults } });
    expect(message === unnamed).toBe((error as ServiceError).details.faults === undefined);
  });
});

describe('BODY() is the passed body, else that of the request', () => {
  const outer = request({}, { a: 1 });
  test.each<[string, Parameters<typeof referenceCall>[1], Json]>([
    ['none is given', {}, { a: 1 }],
    ['one is given', { body: [2] }, [2]],
    ['null is given', { body: null }, null],
  ])('%s', (_, given, body) => {
    expect(referenceCall(outer, given).body).toEqual(body);
    expect(referenceCall(referenceCall(outer, given)).body).toEqual(body);
  });

  test('a body that only the prototype has is not passed', () => {
    expect(referenceCall(outer, Object.create({ body: 1 }) as object).body).toEqual({ a: 1 });
  });
});

test('deadline, transaction and the end of the client are those of the outer call', () => {
  const transaction = { join: () => undefined };
  const outer: Call = {
    ...testCall(),
    transaction,
    proceed: () => {
      throw new Error('gone');
    },
  };
  const call = referenceCall(referenceCall(outer));
  expect(call.deadline).toBe(outer.deadline);
  expect(call.transaction).toBe(transaction);
  expect(() => {
    call.proceed();
  }).toThrow('gone');
});

test('32 calls may be nested, the next one is 500, and the log has the reason', () => {
  let call: Call = testCall();
  for (let depth = 1; depth <= 32; depth += 1) call = referenceCall(call);
  expect(call.depth).toBe(32);
  expect(() => referenceCall(call)).toThrow(
    expect.objectContaining({
      status: 500,
      message: 'Internal server error',
      details: { log: { reason: expect.stringContaining('more than 32 deep') as string } },
    }),
  );
});

test('the body of its reply is its result; null if it has none', async () => {
  const asked = request({ id: '7' });
  const echo = (call: Call) => Promise.resolve(reply(409, call.param('id')));
  expect(await callOperation(asked, echo, { parameters: { id: 8 } })).toBe(8);
  expect(await callOperation(asked, echo)).toBe('7');
  expect(await callOperation(asked, () => Promise.resolve(reply(204)))).toBeNull();
});

test('an exception of it is passed on', async () => {
  const called = () => Promise.reject(fail(404, 'No such news'));
  await expect(callOperation(testCall(), called)).rejects.toMatchObject({
    status: 404,
    message: 'No such news',
  });
});

describe('a call that goes on', () => {
  const transaction = {};
  test.each([
    ['an exception', () => fail(409, 'no'), 409],
    ['an error', () => new ServiceError(502, 'no'), 502],
  ])('%s is a result', async (_name, error, status) => {
    const outcome = await callOrContinue(testCall(), () => Promise.reject(error()));
    expect(outcome).toEqual({ status, body: null });
  });

  test.each([
    ['a client that went away', () => new ServiceError(499, 'gone'), {}],
    ['an unknown end of a change', () => new ServiceError(500, 'unknown', { outcome: 'unknown' }), {}],
    ['an error of ours', () => new TypeError('ours'), {}],
    ['anything in a transaction', () => fail(409, 'no'), { transaction }],
    [
      'the end of the call',
      () => new ServiceError(504, 'late'),
      {
        proceed: () => {
          throw new ServiceError(504, 'over');
        },
      },
    ],
  ])('%s ends it', async (_name, error, more) => {
    const call = { ...testCall(), ...more };
    await expect(callOrContinue(call, () => Promise.reject(error()))).rejects.toThrow();
  });

  test('a success has the status and body of its response', async () => {
    const called = () => Promise.resolve({ status: 201, body: 1 });
    expect(await callOrContinue(testCall(), called)).toEqual({ status: 201, body: 1 });
    expect(await callOrContinue(testCall(), () => Promise.resolve({ status: 204 }))).toEqual({
      status: 204,
      body: null,
    });
  });
});
