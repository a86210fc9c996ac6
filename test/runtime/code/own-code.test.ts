/** User code that makes every kind of mistake, in the same process as correct calls, which must end normally. */
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ownCode, openOwnCode, type OwnContext } from '../../../runtime/code/own-code.js';
import { ownDatabases } from '../../../runtime/code/own-databases.js';
import type { InputFile } from '../../../runtime/code/input-file.js';
import { UploadedFile, type Call } from '../../../runtime/handler/call.js';
import type { Json, Row } from '../../../runtime/handler/json.js';
import { fail, isFailure, ServiceError } from '../../../runtime/handler/reply.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { rowsOfCaller } from '../../../runtime/postgres/rows-of-caller.js';
import { describeFailure } from '../../../runtime/server/log.js';
import { loopLimit } from '../../../runtime/handler/memory.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import { any, array, integer, object, required, type Schema } from '../../../runtime/validate/index.js';
import { testCall } from '../../helpers/test-call.js';
import { openMariadb, openPostgres, read } from '../sql/open-datasource.js';

const lines: string[] = [];
const written = new Writable({
  write(chunk: Buffer, _encoding, done) {
    lines.push(chunk.toString());
    done();
  },
});
const before = process.listeners('unhandledRejection');

beforeAll(() => {
  // The test runner would abort on the first unhandled rejection.
  process.removeAllListeners('unhandledRejection');
  openOwnCode(pino(written));
});

afterAll(() => {
  process.removeAllListeners('unhandledRejection');
  for (const listener of before) process.on('unhandledRejection', listener);
});

beforeEach(() => {
  lines.length = 0;
});

type Work = (input: Json, context: OwnContext) => unknown;

/** Calls the function once, like a handler. */
function run(
  work: Work,
  returns: Schema = any(),
  input: Json = null,
  call: Call = testCall(),
): Promise<Json> {
  const called = ownCode<Json, Json, OwnContext>({
    name: 'mischief',
    run: work as (input: Json) => Json,
    returns,
  });
  return (called as (call: Call, fulfillment: string, input: Json) => Promise<Json>)(call, 'step', input);
}

describe('files in the input', () => {
  const file = (): UploadedFile =>
    new UploadedFile('a.bin', 'image/png', [Buffer.alloc(40_000, 1), Buffer.alloc(40_000, 2)]);
  const step = (work: Work, one: UploadedFile, call: Call): Promise<Json> =>
    run(work, any(), { one } as unknown as Json, call);

  test('are frozen copies with bytes of their own', async () => {
    const one = file();
    const seen = await step(
      (input) => {
        const { one: copy } = input as unknown as { one: InputFile };
        expect(Object.isFrozen(copy)).toBe(true);
        expect(copy.bytes.buffer.byteLength).toBe(80_000);
        copy.bytes.fill(0);
        return [copy.name, copy.type, copy.size];
      },
      one,
      testCall(),
    );
    expect(seen).toEqual(['a.bin', 'image/png', 80_000]);
    expect(one.bytes).toEqual(Buffer.concat(one.chunks));
  });

  test('count as memory for each copy that is used at the same time', async () => {
    const held: number[] = [];
    const call = { ...testCall(), holdCopies: (bytes: number) => void held.push(bytes) };
    const one = file();
    await step(() => null, one, call);
    await step(() => null, one, call);
    expect(held).toEqual([80_000]);
    await Promise.all([1, 2].map(() => step(() => delay(1, null), one, call)));
    expect(held).toEqual([80_000, 80_000]);
  });

  test('are refused before they are copied if there is not enough memory', async () => {
    const call = {
      ...testCall(),
      holdCopies: () => {
        throw new ServiceError(503, 'Too much');
      },
    };
    const { error } = await errorOf(step(() => null, file(), call));
    expect(error.status).toBe(503);
  });

  test('are free again if another one cannot be copied', async () => {
    const held: number[] = [];
    const call = {
      ...testCall(),
      holdCopies: (bytes: number) => {
        held.push(bytes);
        if (held.length > 1) throw new ServiceError(503, 'Too much');
      },
    };
    const one = file();
    const both = { one, other: file() } as unknown as Json;
    expect((await errorOf(run(() => null, any(), both, call))).error.status).toBe(503);
    await step(() => null, one, call);
    expect(held).toEqual([80_000, 80_000]);
  });

  test('are not a result', async () => {
    const { error, log } = await errorOf(step((input) => input, file(), testCall()));
    expect(error.status).toBe(500);
    expect(log).toContain('/one');
  });
});

/** A call whose deadline is in `milliseconds`. */
function endingCall(milliseconds: number): Call {
  const deadline = performance.now() + milliseconds;
  return {
    ...testCall(),
    deadline,
    proceed: () => {
      if (performance.now() > deadline) throw new ServiceError(504, 'The request took too long');
    },
  };
}

/** The error, and the lines logged for it. */
async function errorOf(promise: Promise<unknown>): Promise<{ error: ServiceError; log: string }> {
  const error: unknown = await promise.then(
    (value) => new Error(`no error but ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw error;
  return { error, log: JSON.stringify(describeFailure(error)) };
}

const secret = 'hunter2';

async function rejected(reason: unknown): Promise<never> {
  await Promise.resolve();
  throw reason;
}

/** An error whose fields throw when read. */
class Trap extends Error {
  override get name(): string {
    throw new Error(secret);
  }

  override get message(): string {
    throw new Error(secret);
  }

  override get stack(): string {
    throw new Error(secret);
  }
}

const hostile = new Proxy(new Error(secret), {
  get() {
    throw new Error(secret);
  },
  getPrototypeOf() {
    throw new Error(secret);
  },
});

function refuse(): never {
  throw new Error(secret);
}

function failing(lines: string[]): Error {
  return fail(409, secret, { header: () => lines });
}

describe('what it throws is 500, and nothing of it is shown but its type, code and stack', () => {
  test.each<[string, unknown, string]>([
    ['undefined', undefined, '"thrown":"undefined"'],
    ['null', null, '"thrown":"null"'],
    ['a string', secret, '"thrown":"string"'],
    ['a number', 42, '"thrown":"number"'],
    ['a symbol', Symbol(secret), '"thrown":"symbol"'],
    ['an error', new Error(secret), '"thrown":"Error"'],
    ['an error with a code', Object.assign(new Error(secret), { code: 'E_KILN' }), '"code":"E_KILN"'],
    [
      'an error with data as its name',
      Object.assign(new Error('x'), { name: `a ${secret}` }),
      '"thrown":"an object"',
    ],
    ['a function', () => secret, '"thrown":"an object"'],
    ['a proxy that throws', hostile, '"thrown":"an object"'],
    [
      'a proxy without a target',
      (() => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      })(),
      '"thrown":"an object"',
    ],
    ['an error whose fields throw', new Trap(), '"thrown":"an object"'],
    ['an AggregateError', new AggregateError([new RangeError('inside')], secret), '"type":"RangeError"'],
    [
      'its own cause',
      (() => {
        const error = new Error(secret);
        error.cause = error;
        return error;
      })(),
      '"thrown":"Error"',
    ],
    ['a failure without a status', fail(Number.NaN, secret), 'invalid status'],
    ['a failure with a status that cannot be sent', fail(1000, secret), 'invalid status'],
    ['a failure without a body', fail(204, secret), 'invalid status'],
    ['a failure without a message', fail(409, undefined as unknown as string), 'invalid status'],
    ['an error of the service', new ServiceError(200, secret), '"thrown":"ServiceError"'],
    ['a frozen error', Object.freeze(new Error(secret)), '"thrown":"Error"'],
    ['a frozen failure without a status', Object.freeze(fail(Number.NaN, secret)), 'invalid status'],
    [
      'an error whose causes never end',
      (() => {
        const endless = (): Error => Object.defineProperty(new Error(secret), 'cause', { get: endless });
        return endless();
      })(),
      '"thrown":"Error"',
    ],
    ['a failure with a header that begins another', failing(['X-A', `b\r\nX-B: ${secret}`]), 'invalid'],
    ['a failure with a header that has no value', failing(['X-A']), 'invalid'],
    ['a failure with a header that has two names', failing([['X-A', 'X-B'] as unknown as string, '1']), 'invalid'], // prettier-ignore
    ['a failure with a header that is a number', failing(['X-A', 1 as unknown as string]), 'invalid'],
    ['a failure whose headers throw', fail(409, secret, { header: refuse }), 'invalid'],
    ['a failure whose headers are none', failing(undefined as unknown as string[]), 'invalid'],
  ])('%s', async (_, thrown, shown) => {
    for (const work of [
      () => {
        throw thrown;
      },
      () => rejected(thrown),
      async () => {
        await delay(1);
        throw thrown;
      },
    ]) {
      const { error, log } = await errorOf(run(work));
      expect([error.status, error.message]).toEqual([500, 'Internal server error']);
      expect(log).toContain('"function":"mischief"');
      expect(log).toContain(shown);
      expect(log).not.toContain(secret);
    }
  });

  test('with the place in its own code', async () => {
    const { log } = await errorOf(
      run(function inTheKiln() {
        throw new Error(secret);
      }),
    );
    expect(log).toMatch(/at inTheKiln \(.*own-code\.test\.ts:\d+:\d+\)/);
  });

  test('an error of the language keeps its message, which names code', async () => {
    const { log } = await errorOf(run(() => (undefined as unknown as { kiln: string }).kiln));
    expect(log).toContain("Cannot read properties of undefined (reading 'kiln')");
  });

  test('a failure is the response', async () => {
    const thrown: unknown = await run(() => {
      throw fail(409, 'Sold out', { code: 'sold-out' });
    }).catch((error: unknown) => error);
    expect(isFailure(thrown) && [thrown.status, thrown.message, thrown.code]).toEqual([
      409,
      'Sold out',
      'sold-out',
    ]);
  });
});

test('the headers of a failure are asked once, without the response, and its body is a copy', async () => {
  const asked: unknown[][] = [];
  const body = { lines: [1] };
  const thrown: unknown = await run(() => {
    throw fail(409, 'no', {
      header: (...given: unknown[]) => {
        asked.push(given);
        return ['X-A', ['1', '2'], 'X-B', '3'];
      },
      body: () => body,
    });
  }).catch((error: unknown) => error);
  if (!isFailure(thrown)) throw thrown;
  const headers = [thrown.header, thrown.header].map((header) => header?.(undefined as never));
  expect([headers, asked]).toEqual([
    [
      ['X-A', ['1', '2'], 'X-B', '3'],
      ['X-A', ['1', '2'], 'X-B', '3'],
    ],
    [[]],
  ]);
  const sent = thrown.body?.(undefined as never);
  expect(sent).toEqual(body);
  expect(sent).not.toBe(body);
});

test.each<[string, () => unknown]>([
  ['never ends', () => new Promise(() => undefined)],
  ['contains itself', () => cycle],
  ['throws', refuse],
  ['is a function', () => refuse],
])('a body of a failure that %s is none', async (_, body) => {
  const thrown: unknown = await run(() => {
    throw fail(409, 'no', { body: body as () => Json });
  }).catch((error: unknown) => error);
  if (!isFailure(thrown)) throw thrown;
  // The message is sent instead of the body.
  expect(() => thrown.body?.(undefined as never)).toThrow();
});

test.each<[string, unknown]>([
  ['throws', { then: refuse }],
  [
    'cannot be read',
    {
      get then(): never {
        throw new Error(secret);
      },
    },
  ],
  ['is rejected with itself', Object.assign(() => undefined, { then: (_: unknown, no: (error: unknown) => void) => { no(hostile); } })], // prettier-ignore
])('a promise of its own that %s', async (_, promise) => {
  const { error, log } = await errorOf(run(() => promise));
  expect(error.status).toBe(500);
  expect(log).not.toContain(secret);
});

test('a promise of its own that never settles ends with the call', async () => {
  const call = endingCall(50);
  const { error } = await errorOf(run(() => ({ then: () => undefined }), any(), null, call));
  expect(error.status).toBe(504);
});

test('what it does to its log is seen in no other entry', async () => {
  await run((_, { log }) => {
    Object.assign(log, { level: 'silent', info: refuse, warn: refuse });
    return 1;
  });
  const entry: Record<string, unknown> = {
    big: 1n,
    at: new Date(0),
    bytes: Buffer.from('x'),
    none: undefined,
  };
  entry['again'] = entry;
  await run((_, { log }) => {
    log.info(entry, 'odd');
    return 1;
  });
  const { error } = await errorOf(
    run((_, { log }) => {
      log.info(hostile, 'hostile');
      throw new Error('no');
    }),
  );
  expect(error.status).toBe(500);
  await run((_, { log }) => {
    log.info('plain');
    return 1;
  });
  const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(messages.filter((message) => message !== 'hostile')).toEqual(['odd', 'plain']);
  expect(lines.join('')).not.toContain(secret);
});

class Decimal {
  toJSON(): string {
    return secret;
  }
}

const cycle: Record<string, unknown> = { secret };
cycle['again'] = [cycle];
const deep = JSON.parse(`${'['.repeat(1500)}${']'.repeat(1500)}`) as Json;

describe('what it returns is a copy that is checked', () => {
  test.each<[string, unknown, Json]>([
    ['JSON', { a: [1, 'x', true, null] }, { a: [1, 'x', true, null] }],
    ['undefined fields', { a: 1, b: undefined }, { a: 1 }],
    ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['BigInts', [1n, 2n ** 64n], [1, '18446744073709551616']],
    ['an object without a prototype', Object.assign(Object.create(null) as object, { a: 1 }), { a: 1 }],
    [
      'the same object twice',
      (() => {
        const one = { a: 1 };
        return [one, one];
      })(),
      [{ a: 1 }, { a: 1 }],
    ],
    ['keys of symbols', { [Symbol(secret)]: 1, a: 1 }, { a: 1 }],
  ])('%s', async (_, returned, expected) => {
    expect(await run(() => returned)).toEqual(expected);
  });

  test('a key __proto__ is a field, and changes no prototype', async () => {
    const result = (await run(
      () => JSON.parse('{"__proto__":{"admin":true},"constructor":1}') as Json,
    )) as object;
    expect(Object.keys(result)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Reflect.get({}, 'admin')).toBeUndefined();
  });

  test('later changes of what was returned change nothing', async () => {
    const returned = { a: [1] };
    const result = await run(() => returned);
    returned.a.push(2);
    expect(result).toEqual({ a: [1] });
  });

  test.each<[string, unknown, string, string]>([
    ['undefined', undefined, '', 'is undefined'],
    ['a function', { run: () => secret }, '/run', 'is a function'],
    ['a symbol', [Symbol(secret)], '/0', 'is a symbol'],
    ['NaN', { a: { b: Number.NaN } }, '/a/b', 'is not a finite number'],
    ['an invalid date', [new Date(Number.NaN)], '/0', 'is an invalid date'],
    ['an instance with toJSON', { price: new Decimal() }, '/price', 'is an instance of a class'],
    ['a plain object with toJSON', { toJSON: () => secret }, '/toJSON', 'is a function'],
    ['a map', new Map([[secret, 1]]), '', 'is an instance of a class'],
    ['bytes', Buffer.from(secret), '', 'is an instance of a class'],
    ['a proxy', { a: new Proxy({}, {}) }, '/a', 'is a Proxy'],
    ['what contains itself', cycle, '/again/0', 'contains itself'],
    ['what is nested too deep', deep, '', 'is inside more than 1000 others'],
    ['a hole in a list', [1, , 2], '/1', 'is undefined'], // oxlint-disable-line no-sparse-arrays
    ['an endless list', new Array(2 ** 32 - 1), '', 'more than'],
    ['a string as an object', { a: Object('x') as unknown }, '/a', 'is an instance of a class'],
    ['numbers of bytes', new Uint8Array(2), '', 'is an instance of a class'],
    ['a generator', (function* () {})(), '', 'is an instance of a class'],
    ['a module', { process }, '/process', 'is an instance of a class'],
    [
      'what is nested anew each time it is read',
      (() => {
        const endless = (): object => Object.defineProperty({}, 'a', { get: endless, enumerable: true });
        return endless();
      })(),
      '',
      'is inside more than 1000 others',
    ],
    [
      'a list that grows while it is read',
      (() => {
        const list: unknown[] = [];
        const grow = (): void => {
          Object.defineProperty(list, list.length, {
            enumerable: true,
            get: () => {
              grow();
              return 'x'.repeat(1_000_000);
            },
          });
        };
        grow();
        return list;
      })(),
      '',
      'more than',
    ],
  ])('%s is refused with its place', async (_, returned, pointer, problem) => {
    const { error, log } = await errorOf(run(() => returned));
    expect([error.status, error.message]).toEqual([500, 'Internal server error']);
    if (pointer !== '') expect(log).toContain(`"pointer":"${pointer}"`);
    expect(log).toContain(problem);
    expect(log).not.toContain(secret);
  });

  test('a getter that throws is an error of the function', async () => {
    const { error, log } = await errorOf(
      run(() => ({
        get a(): string {
          throw new Error(secret);
        },
      })),
    );
    expect(error.status).toBe(500);
    expect(log).toContain('"function":"mischief"');
    expect(log).not.toContain(secret);
  });

  test('more than LIST_MEMORY is refused, also where it is the same again and again', async () => {
    let value: Json = 'x'.repeat(1000);
    for (let level = 0; level < 40; level += 1) value = [value, value];
    const { memory } = loopLimit;
    const { log } = await errorOf(run(() => value));
    expect(log).toContain(`they take more than ${memory} bytes`);
    const { log: ofInput } = await errorOf(run(() => 1, any(), value));
    expect(ofInput).toContain('"reason":"the input is one of too many');
  });

  test('a contradiction names the function and the place, and no value', async () => {
    const price = object({
      total: required(integer({ minimum: 0 })),
      lines: array(object({ sum: integer() })),
    });
    const wrong = [
      [{ total: -1 }, '/total'],
      [{ total: secret }, '/total'],
      [{ total: 1, lines: [{ sum: 1 }, { sum: secret }] }, '/lines/1/sum'],
      [{ lines: [] }, '/total'],
      [secret, ''],
    ] as const;
    for (const [returned, pointer] of wrong) {
      const { error, log } = await errorOf(run(() => returned, price));
      expect(error.status).toBe(500);
      expect(log).toContain(`"function":"mischief","fulfillment":"step","pointer":"${pointer}"`);
      expect(log).not.toContain(secret);
    }
    expect(await run(() => ({ total: 1 }), price)).toEqual({ total: 1 });
  });

  test('without `returns` nothing is read of it', async () => {
    const called = ownCode<null, null, OwnContext>({
      name: 'mischief',
      run: () => cycle,
    });
    expect(await called(testCall(), 'step')).toBeNull();
  });
});

test('its input and the caller are frozen copies', async () => {
  const input = { lines: [{ product: 1 }] };
  const caller = { sub: 'ada', roles: ['a'] };
  const attempts = [
    (given: { lines: { product: number }[] }) => {
      given.lines.push({ product: 2 });
    },
    (given: { lines: { product: number }[] }) => {
      const [first] = given.lines;
      if (first !== undefined) first.product = 2;
    },
    (_: unknown, context: OwnContext) => {
      if (context.caller !== null) context.caller['sub'] = 'eve';
    },
  ];
  for (const attempt of attempts) {
    const { log } = await errorOf(run(attempt as Work, any(), input, { ...testCall(), caller }));
    expect(log).toContain('TypeError');
  }
  expect([input, caller]).toEqual([{ lines: [{ product: 1 }] }, { sub: 'ada', roles: ['a'] }]);
});

describe('a function that never ends', () => {
  test('ends with its call, and is notified', async () => {
    let aborted = 0;
    const never: Work = (_, { signal }) => {
      signal.addEventListener('abort', () => (aborted += 1));
      return new Promise(() => undefined);
    };
    const call = endingCall(50);
    const { error } = await errorOf(run(never, any(), null, call));
    expect([error.status, aborted]).toEqual([504, 1]);
  });

  test('ends when the client goes away', async () => {
    let isGone = false;
    const call: Call = {
      ...testCall(),
      proceed: () => {
        if (isGone) throw new ServiceError(499, 'The client has gone away');
      },
    };
    const ended = errorOf(run(() => new Promise(() => undefined), any(), null, call));
    isGone = true;
    expect((await ended).error.status).toBe(499);
  });

  test('errors that it throws afterwards belong to no call', async () => {
    let reject: (error: Error) => void = () => undefined;
    const late: Work = () =>
      new Promise((_, fails) => {
        reject = fails;
      });
    const call = { ...testCall(), proceed: () => undefined };
    const ended = errorOf(run(late, any(), null, call));
    call.proceed = () => {
      throw new ServiceError(504, 'The request took too long');
    };
    expect((await ended).error.status).toBe(504);
    reject(new Error(secret));
    await delay(20);
    expect(lines).toEqual([]);
  });
});

test('promises that nobody waits for are logged, whatever they are rejected with, and end nothing', async () => {
  const reasons = [new Error(secret), secret, undefined, hostile, fail(409, secret)];
  const result = await run(() => {
    for (const reason of reasons) void rejected(reason);
    return 1;
  });
  expect(result).toBe(1);
  await expect.poll(() => lines.length).toBe(reasons.length);
  for (const line of lines) expect(line).toContain('a promise that nobody waits for was rejected');
  expect(lines.join('')).not.toContain(secret);
});

test('its entries of the log name it and the request, also in calls inside of others', async () => {
  const work: Work = (_, { log }) => {
    log.warn({ product: 1 }, 'hot');
    return 1;
  };
  const call = { ...testCall(), requestId: 'kiln-1' };
  await run(work, any(), null, call);
  await inTransaction(call, (inner) => run(work, any(), null, inner));
  // Calls by timers do not have a request.
  await run(work);
  const entry = { function: 'mischief', product: 1, msg: 'hot' };
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries.map(({ level: _level, time: _time, pid: _pid, hostname: _host, ...rest }) => rest)).toEqual([
    { requestId: 'kiln-1', ...entry },
    { requestId: 'kiln-1', ...entry },
    entry,
  ]);
});

describe('after the context of its caller', () => {
  type Work = (db: Knex) => Promise<unknown>;
  const tenant = "select current_setting('app.tenant', true) as tenant";
  let valueOf: () => Json;
  let owner: DatabaseDatasource;
  let datasource: DatabaseDatasource;

  beforeAll(async () => {
    const opened = await openPostgres('own_code_context');
    const { server, database } = opened;
    owner = opened.datasource;
    await server.exec(
      database,
      "do $$ begin if not exists (select from pg_roles where rolname = 'own_caller') then create role own_caller login password 'x'; end if; end $$",
    );
    const context = rowsOfCaller({ settings: { 'app.tenant': () => valueOf() } });
    datasource = postgres({ name: 'testdb', pool: { min: 0, max: 1 }, context });
    datasource.open({ url: server.jdbcUrl(database), user: 'own_caller', password: 'x' });
  });

  beforeEach(() => {
    valueOf = () => 'one';
  });

  afterAll(() => Promise.all([owner, datasource].map((one) => one.close(performance.now() + 1000))));

  function onDatabase(work: Work): Promise<Json> {
    const called = ownCode<null, Json, OwnContext>({
      name: 'mischief',
      run: ((_: null, { datasources }: OwnContext) =>
        work((datasources as { readonly db: Knex }).db)) as unknown as () => Json,
      returns: any(),
      datasources: ownDatabases({ db: datasource }),
    });
    return called(testCall(), 'step');
  }

  const tenantOf = async (db: Knex): Promise<unknown> => (await db.raw<{ rows: unknown }>(tenant)).rows;

  test('are its statements and its transactions, also after one that failed', async () => {
    expect(
      await onDatabase(async (db) => {
        const alone = await tenantOf(db);
        await expect(db.raw('select nonsense')).rejects.toThrow('nonsense');
        const again = await tenantOf(db);
        const inside = await db.transaction(tenantOf);
        const isolated = await db.transaction(tenantOf, { isolationLevel: 'serializable' });
        return [alone, again, inside, isolated];
      }),
    ).toEqual(Array(4).fill([{ tenant: 'one' }]));
    await expect.poll(() => datasource.connections()).toMatchObject({ used: 0, waiting: 0 });
  });

  test('without a value nothing runs, however often it is tried on one connection', async () => {
    valueOf = () => null;
    const tries: Work[] = [
      (db) => tenantOf(db),
      (db) => db.transaction(tenantOf),
      async (db) => {
        const connection: unknown = await (
          db.client as { acquireConnection(): Promise<unknown> }
        ).acquireConnection();
        const first: unknown = await db
          .raw(tenant)
          .connection(connection)
          .catch(() => 'refused');
        expect(first).toBe('refused');
        const again: unknown = await db.raw(tenant).connection(connection);
        return again;
      },
    ];
    for (const work of tries) expect((await errorOf(onDatabase(work))).error.status).toBe(403);
    valueOf = () => 'two';
    expect(await onDatabase(tenantOf)).toEqual([{ tenant: 'two' }]);
  });
});

describe.each([
  { name: 'PostgreSQL', openIt: openPostgres, isPostgres: true },
  { name: 'MariaDB', openIt: openMariadb, isPostgres: false },
])('on $name', ({ openIt, isPostgres }) => {
  let datasource: DatabaseDatasource;

  beforeEach(async () => {
    ({ datasource } = await openIt('own_code_step', { pool: { min: 0, max: 2 } }));
    const sql = 'create table entry (id integer primary key, note varchar(60))';
    await datasource.update({ operation: 'x', fulfillment: 'x', sql, atomic: false })(testCall());
  });

  afterEach(async () => {
    await datasource.close(performance.now() + 1000);
  });

  type Database = (db: Knex, context: OwnContext) => unknown;

  function onDatabase(work: Database, call: Call = testCall()): Promise<Json> {
    const called = ownCode<null, Json, OwnContext>({
      name: 'mischief',
      run: ((_: null, context: OwnContext) =>
        work((context.datasources as { readonly db: Knex }).db, context)) as () => Json,
      returns: any(),
      datasources: ownDatabases({ db: datasource }),
    });
    return called(call, 'step');
  }

  const inOne = (work: Database, call = testCall()): Promise<Json> =>
    inTransaction(call, (inner) => onDatabase(work, inner));

  const entries = async (): Promise<Json> =>
    (await read(datasource, 'select id from entry order by id')).map(({ id }) => id ?? null);

  const insert =
    (id: number): Database =>
    async (db) => {
      await db('entry').insert({ id });
      return null;
    };

  /** All connections work, and none is left in use. */
  async function expectHealthy(): Promise<void> {
    const rows = await Promise.all(
      [1, 2, 3].map(() => onDatabase(async (db) => db('entry').count({ n: '*' }))),
    );
    expect(rows).toHaveLength(3);
    await expect.poll(() => datasource.connections()).toMatchObject({ used: 0, waiting: 0 });
  }

  test('statements, values and transactions of its own', async () => {
    await onDatabase(async (db) => {
      await db('entry').insert({ id: 1, note: "it's; DROP TABLE entry" });
      await db.transaction(async (inner) => {
        await inner('entry').insert({ id: 2 });
        await inner
          .transaction(async (innermost) => {
            await innermost('entry').insert({ id: 3 });
            throw new Error('undo');
          })
          .catch(() => undefined);
      });
      await db
        .transaction(async (inner) => {
          await inner('entry').insert({ id: 4 });
          throw new Error('undo');
        })
        .catch(() => undefined);
      return null;
    });
    expect(await entries()).toEqual([1, 2]);
    expect(await onDatabase(async (db) => db('entry').where({ id: 1 }).first())).toEqual({
      id: 1,
      note: "it's; DROP TABLE entry",
    });
    await expectHealthy();
  });

  test('in the transaction of the operation: all or nothing', async () => {
    await inOne(async (db) => {
      await db('entry').insert({ id: 1 });
      return null;
    });
    const failed = inOne(async (db) => {
      await db('entry').insert({ id: 2 });
      throw fail(409, 'no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await entries()).toEqual([1]);
    await expectHealthy();
  });

  test('a caught failure of a statement ends the transaction, and in one inside of it nothing else', async () => {
    const caught = inOne(async (db) => {
      await db('entry').insert({ id: 1 });
      await db('entry')
        .insert({ id: 1 })
        .catch(() => undefined);
      return null;
    });
    expect((await errorOf(caught)).error.status).toBeGreaterThanOrEqual(400);
    expect(await entries()).toEqual([]);
    await inOne(async (db) => {
      await db('entry').insert({ id: 1 });
      await db.transaction(async (inner) => inner('entry').insert({ id: 1 })).catch(() => undefined);
      await db('entry').insert({ id: 2 });
      return null;
    });
    expect(await entries()).toEqual([1, 2]);
    await expectHealthy();
  });

  test('two at the same time in one transaction', async () => {
    await inTransaction(testCall(), async (call) => {
      const both = [10, 20].map((from) =>
        onDatabase(async (db) => {
          await db('entry').insert({ id: from });
          await Promise.all([
            db.transaction(async (inner) => inner('entry').insert({ id: from + 1 })),
            db
              .transaction(async (inner) => {
                await inner('entry').insert({ id: from + 2 });
                throw new Error('undo');
              })
              .catch(() => undefined),
          ]);
          return null;
        }, call),
      );
      await Promise.all(both);
    });
    expect(await entries()).toEqual([10, 11, 20, 21]);
    await expectHealthy();
  });

  test('it can neither commit nor roll back the transaction of the operation', async () => {
    const others = isPostgres
      ? [
          'COMMIT AND CHAIN',
          'END',
          'abort',
          'SELECT 1; COMMIT; BEGIN',
          "PREPARE TRANSACTION 'x'",
          '/* a */ COMMIT',
        ]
      : [
          'COMMIT AND CHAIN',
          '/* a */ BEGIN',
          '/*! COMMIT */',
          'SET autocommit = 1',
          "XA START 'x'",
          '# a\nCOMMIT',
        ];
    for (const text of ['COMMIT', 'rollback;', ' Commit work ', 'ROLLBACK AND CHAIN', ...others]) {
      await expect(
        inOne(async (db) => {
          await db('entry').insert({ id: 1 });
          await db.raw(text);
          return null;
        }),
      ).rejects.toThrow('Internal server error');
    }
    expect(await entries()).toEqual([]);
    await expectHealthy();
  });

  test.each<[string, (work: Database) => Promise<Json>]>([
    ['of the operation', inOne],
    ['of its own', (work) => onDatabase((db, context) => db.transaction((inner) => Promise.resolve(work(inner, context))))], // prettier-ignore
  ])(
    'a statement that ends the transaction %s is an error, and what follows does not run outside of it',
    async (_, runIt) => {
      // The runtime does not recognize a COMMIT in either statement.
      const text = isPostgres
        ? String.raw`SELECT E'\''; COMMIT; SELECT ''`
        : 'CREATE TABLE other (id integer)';
      const { error } = await errorOf(
        runIt(async (db) => {
          await db('entry').insert({ id: 1 });
          await db.raw(text).catch(() => undefined);
          await db('entry')
            .insert({ id: 2 })
            .catch(() => undefined);
          return null;
        }),
      );
      expect(error.status).toBeGreaterThanOrEqual(500);
      expect(await entries()).not.toContain(2);
      await expectHealthy();
    },
  );

  test.each([0, 1, 2, 3])('a column with the name of the server’s status is a column: %i', async (status) => {
    const found = await inOne(async (db) => {
      await db('entry').insert({ id: 1 });
      const rows: Json = await db('entry').select('id', db.raw('? as ??', [status, 'serverStatus']));
      await db('entry').insert({ id: 2 });
      return rows;
    });
    expect(found).toMatchObject([{ id: 1 }]);
    expect(await entries()).toEqual([1, 2]);
    await expectHealthy();
  });

  test('a transaction of its own has the isolation that it asks for, and may only read', async () => {
    const level = "select current_setting('transaction_isolation') as value";
    await onDatabase((db) =>
      db.transaction(
        async (inner) => {
          await inner('entry').insert({ id: 1 });
          const { rows } = isPostgres ? await inner.raw<{ rows: Row[] }>(level) : { rows: [] };
          expect(rows).toEqual(isPostgres ? [{ value: 'serializable' }] : []);
          return null;
        },
        { isolationLevel: 'serializable' },
      ),
    );
    const inside = inOne((db) =>
      db.transaction(async (inner) => inner('entry').insert({ id: 3 }), { readOnly: true }),
    );
    expect((await errorOf(inside)).error.status).toBe(500);
    expect(await entries()).toEqual([1]);
    await expectHealthy();
  });

  test('a change in a transaction that may only read is its mistake: 500, and its connection stays', async () => {
    const change =
      (begin: string[], options: object): Database =>
      (db) =>
        db.transaction(async (inner) => {
          for (const text of begin) await inner.raw(text);
          const undone = inner.transaction((innermost) => innermost('entry').insert({ id: 1 }));
          await expect(undone).rejects.toThrow(/read.only/i);
          expect(await inner('entry').select('id')).toEqual([]);
          await inner('entry').insert({ id: 2 });
        }, options);
    const tries = [
      change([], { readOnly: true }),
      ...(isPostgres ? [change(['set transaction read only'], {})] : []),
    ];
    for (const work of tries) {
      const { error, log } = await errorOf(onDatabase(work));
      expect([error.status, log]).toEqual([500, expect.stringContaining(isPostgres ? '25006' : '1792')]);
    }
    // The next transaction can write.
    await onDatabase((db) =>
      db.transaction(async (inner) => {
        await inner('entry').insert({ id: 3 });
        return null;
      }),
    );
    expect(await entries()).toEqual([3]);
    await expectHealthy();
  });

  test.each([
    ['outside of a transaction', onDatabase],
    ['inside', inOne],
  ])('kept objects are useless after its end: %s', async (_, runIt) => {
    let kept: Knex | undefined;
    let trx: Knex.Transaction | undefined;
    const open = runIt(async (db) => {
      kept = db;
      trx = await db.transaction();
      await trx('entry').insert({ id: 1 });
      return null;
    });
    await open.catch(() => undefined);
    await expect(kept?.('entry').insert({ id: 2 })).rejects.toThrow('has ended');
    await expect(trx?.('entry').insert({ id: 3 })).rejects.toThrow();
    await expect(kept?.transaction(async (inner) => inner('entry').insert({ id: 4 }))).rejects.toThrow(
      'has ended',
    );
    // The transaction was not committed.
    expect(await entries()).toEqual([]);
    await expectHealthy();
  });

  test('statements that it does not wait for run before the end, or not at all', async () => {
    await inOne((db) => {
      void db('entry')
        .insert({ id: 1 })
        .then(
          () => db('entry').insert({ id: 2 }),
          () => undefined,
        )
        .catch(() => undefined);
      return null;
    }).catch(() => undefined);
    await delay(50);
    expect(await entries()).not.toContain(2);
    await expectHealthy();
  });

  test('it never ends in a transaction: what waits for it is rolled back, and others get the connections', async () => {
    const never =
      (id: number): Database =>
      async (db) => {
        await db('entry').insert({ id });
        await db.transaction(async (inner) => {
          await inner('entry').insert({ id: id + 1 });
          await new Promise(() => undefined);
        });
        return null;
      };
    for (const stuck of [inOne(never(10), endingCall(1000)), onDatabase(never(20), endingCall(1000))])
      expect((await errorOf(stuck)).error.status).toBe(504);
    await expectHealthy();
    // Outside the operation's transaction, the first statement was committed on its own.
    expect(await entries()).toEqual([20]);
  });

  test('a statement that takes too long is ended with its call', async () => {
    const slow: Database = (db) => db.raw(isPostgres ? 'SELECT pg_sleep(60)' : 'SELECT SLEEP(60)');
    for (const runIt of [onDatabase, inOne])
      expect((await errorOf(runIt(slow, endingCall(500)))).error.status).toBe(504);
    await expectHealthy();
  });

  test('what it leaves in a session reaches nobody', async () => {
    const [leave, look] = isPostgres
      ? ["set apikiln.own = 'mine'", "select current_setting('apikiln.own', true) as value"]
      : ["set @own = 'mine'", 'select @own as value'];
    await onDatabase(async (db) => {
      await db.raw(leave);
      return null;
    });
    await inOne(async (db) => {
      await db.raw(leave);
      return null;
    });
    for (let time = 0; time < 10; time += 1) {
      const [row] = await read(datasource, look);
      expect(row?.['value'] ?? '').toBe('');
    }
    await expectHealthy();
  });

  test('an object as a value is JSON and no SQL', async () => {
    const found = await onDatabase(async (db) => {
      await db('entry').insert({ id: 1, note: 'a' });
      return db
        .raw('SELECT id FROM entry WHERE note = ?', [{ note: 1 }])
        .then(
          (result: { rows?: unknown[] } | unknown[]) =>
            (Array.isArray(result) ? result[0] : result.rows) as Json,
        );
    });
    expect(found).toEqual([]);
  });

  test('the values of a statement are in no error', async () => {
    const { log } = await errorOf(
      onDatabase(async (db) => {
        await db('entry').insert({ id: 1, note: secret });
        await db('entry').insert({ id: 1, note: secret });
        return null;
      }),
    );
    expect(log).toContain(isPostgres ? '23505' : '1062');
    expect(log).not.toContain(secret);
  });

  test('a lost database is 503 if it rethrows the error', async () => {
    await datasource.close(performance.now());
    const { error } = await errorOf(onDatabase((db) => db('entry').select()));
    expect(error.status).toBe(503);
  });

  test.each<[string, Database]>([
    [
      'takes connections and keeps them',
      (db) =>
        Promise.all(
          [1, 2].map(() => (db.client as { acquireConnection(): Promise<unknown> }).acquireConnection()),
        ),
    ],
    ['ends its knex', (db) => db.destroy()],
    [
      'reads a stream',
      async (db) => {
        for await (const row of db('entry').stream()) expect(row).toBeUndefined();
      },
    ],
    ['cancels a statement', (db) => db('entry').select().timeout(1, { cancel: true })],
    [
      'listens, and throws',
      (db) => {
        for (const event of ['query', 'query-response', 'query-error']) db.on(event, refuse);
        return db('entry').select();
      },
    ],
    ['binds a function', (db) => db.raw('SELECT ? AS a', [refuse as unknown as string])],
    ['binds a symbol', (db) => db.raw('SELECT ? AS a', [Symbol(secret) as unknown as string])],
    ['binds what contains itself', (db) => db.raw('SELECT ? AS a', [cycle as unknown as string])],
    ['binds too little', (db) => db.raw('SELECT ? AS a, ? AS b', [1])],
    ['sends nothing', (db) => db.raw('')],
    [
      'binds more values than a statement can have',
      (db) =>
        db('entry').whereIn(
          'id',
          Array.from({ length: 70_000 }, (_, id) => id),
        ),
    ],
    ['sends a text with a character that ends it', (db) => db.raw('SELECT 1; -- \0 SELECT 2')],
    ['binds a character that ends a text', (db) => db.raw('SELECT ? AS a', ['a\0b'])],
    [
      'asks for its data, or sends it to a client',
      async (db) => {
        for (const text of isPostgres
          ? ['COPY entry FROM STDIN', 'COPY entry TO STDOUT', "COPY (SELECT 'x') TO PROGRAM 'cat'"]
          : ["LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE entry", "SELECT 'x' INTO @kiln"])
          await db.raw(text).catch(() => undefined);
        return db('entry').select();
      },
    ],
    ['stops waiting for a statement', (db) => db.raw(isPostgres ? 'SELECT pg_sleep(1)' : 'SELECT SLEEP(1)').timeout(50)], // prettier-ignore
    ['begins a second transaction inside its transaction', (db) => db.transaction(() => db.transaction(() => Promise.resolve(null)))], // prettier-ignore
    [
      'undoes savepoints of others',
      async (db) => {
        await db.raw('SAVEPOINT own_code');
        await db.transaction(async (inner) => {
          await inner.raw('RELEASE SAVEPOINT own_code').catch(() => undefined);
          return inner('entry').select();
        });
      },
    ],
    [
      'replaces what runs its statements',
      async (db) => {
        const client = db.client as { acquireConnection(): Promise<object> };
        Object.assign(await client.acquireConnection(), { query: refuse });
        return db('entry').select();
      },
    ],
    ['waits for what waits for it', (db) => { const later: Promise<unknown> = Promise.resolve().then(() => later); return Promise.race([later, db('entry').select()]); }], // prettier-ignore
    [
      'waits for none of many',
      (db) => {
        for (let time = 0; time < 50; time += 1)
          void db('entry')
            .select()
            .catch(() => undefined);
        return null;
      },
    ],
    [
      'begins more transactions than there are connections',
      (db) => Promise.all([1, 2, 3].map(() => db.transaction())),
    ],
    [
      'ends its own connection',
      (db) => db.raw(isPostgres ? 'SELECT pg_terminate_backend(pg_backend_pid())' : 'KILL CONNECTION_ID()'),
    ],
  ])('it %s: nothing of it is left, and others go on', async (_, work) => {
    for (const runIt of [onDatabase, inOne]) {
      await runIt(work, endingCall(1500)).catch(() => undefined);
      await expectHealthy();
    }
    await onDatabase(insert(99));
    expect(await entries()).toEqual([99]);
  });

  test('locks and settings of the session end with it', async () => {
    const left = isPostgres
      ? [
          'SELECT pg_advisory_lock(7)',
          'LISTEN kiln',
          'PREPARE kiln AS SELECT 1',
          "SET search_path = 'nowhere'",
        ]
      : [
          "SELECT GET_LOCK('kiln', 1)",
          'LOCK TABLES entry WRITE',
          'SET autocommit = 0',
          "SET SESSION sql_mode = ''",
          'USE mysql',
        ];
    for (const text of left)
      await onDatabase(async (db) => {
        await db.raw(text);
        return null;
      });
    await expectHealthy();
    const [row] = await read(
      datasource,
      isPostgres
        ? "select count(*)::int as held from pg_locks where locktype = 'advisory'"
        : "select is_free_lock('kiln') - 1 as held",
    );
    expect(row).toEqual({ held: 0 });
    await Promise.all([1, 2, 3].map((id) => onDatabase(insert(id))));
    expect(await entries()).toEqual([1, 2, 3]);
  });

  test('one of two in a transaction fails, and the other goes on: it changes nothing any more', async () => {
    let later: Promise<unknown> = Promise.resolve();
    const both = inTransaction(testCall(), async (call) => {
      later = onDatabase(async (db) => {
        await db('entry').insert({ id: 1 });
        await delay(300);
        await db('entry').insert({ id: 2 });
        return null;
      }, call);
      await Promise.all([
        later,
        onDatabase(async () => {
          await delay(50);
          throw fail(409, 'no');
        }, call),
      ]);
    });
    await expect(both).rejects.toThrow('no');
    await later.catch(() => undefined);
    expect(await entries()).toEqual([]);
    await expectHealthy();
  });

  test('other calls go on meanwhile', async () => {
    const mischief = [
      onDatabase(async (db) => db.raw('SELECT nonsense')),
      onDatabase(() => {
        throw new Error('no');
      }),
      inOne(async (db) => {
        await db('entry').insert({ id: 1 });
        throw hostile;
      }),
    ].map((one) => one.catch(() => 'failed'));
    const others = Array.from({ length: 20 }, () => read(datasource, 'select 1 as one'));
    expect(await Promise.all(mischief)).toEqual(['failed', 'failed', 'failed']);
    for (const rows of await Promise.all(others)) expect(rows).toEqual([{ one: 1 }]);
    await expectHealthy();
  });
});
