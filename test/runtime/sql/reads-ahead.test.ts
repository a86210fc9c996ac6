/** Reads started before their turn: sent in order; to the handler they behave as if they ran when awaited. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { noteChange, type Call } from '../../../runtime/handler/call.js';
import type { Row } from '../../../runtime/handler/json.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { DatabaseFailure } from '../../../runtime/sql/failure.js';
import type { StatementRunner, Statement } from '../../../runtime/sql/statement.js';
import { readEach, startEach, startRead } from '../../../runtime/sql/reads-ahead.js';
import { testCall } from '../../helpers/test-call.js';

/** Events of the reads, in order. */
let log: string[];
const unhandled: unknown[] = [];
const note = (error: unknown) => unhandled.push(error);

beforeEach(() => {
  log = [];
  process.on('unhandledRejection', note);
});

afterEach(async () => {
  await turn();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

interface Behaviour {
  /** Whether the read can be sent ahead. */
  readonly sendable?: boolean;
  /** The value for which the read fails if it was sent ahead. */
  readonly fails?: unknown;
  readonly kind?: 'timeout' | 'unavailable';
}

function unused(): never {
  throw new Error('nothing is read by rows here');
}

/** The result of the mocked `queryOf`. */
interface MockedQuery extends Pick<Behaviour, 'fails' | 'kind'> {
  readonly name: string;
  readonly value: unknown;
}

const connections = { share: () => connection };

const connection = {
  host: connections,
  acceptsMoreAt: () => true,
  query: ({ name, value, fails, kind = 'unavailable' }: MockedQuery) => {
    log.push(`send ${name}${JSON.stringify(value)}`);
    return value === fails
      ? Promise.reject(new DatabaseFailure({ kind }))
      : Promise.resolve([{ [name]: value as string }]);
  },
};

/** A statement that returns its value in a row. */
function read(name: string, { sendable = true, fails, kind = 'unavailable' }: Behaviour = {}): Statement {
  const rows = (value: unknown): Row[] => [{ [name]: value as string }];
  const runner = {
    latency: { isQuick: sendable, isUnknown: false, mean: 1 },
    host: { use: () => ({ timeout: 1_000 }) },
    run: (_: unknown, [value]: readonly unknown[]) => {
      log.push(`run ${name}${JSON.stringify(value)}`);
      return Promise.resolve(rows(value));
    },
    sharing: () => connections,
    queryOf: (_: unknown, [value]: readonly unknown[]) => ({ name, value, fails, kind }),
    on: unused,
    leaves: unused,
    ran: unused,
    learn: () => log.push(`learn ${name}`),
    toError: (error: unknown) => new Error('told', { cause: error }),
  } as unknown as StatementRunner;
  const run = (): Promise<Row[]> => Promise.reject(new Error('nobody runs it by itself here'));
  return Object.assign(run, { runner });
}

test('they are sent when they are started, and return their rows when they are awaited', async () => {
  const call = testCall();
  const [a, b] = [startRead(read('a'), call, [1]), startRead(read('b'), call, [2])];
  expect(log).toEqual(['send a1', 'send b2']);
  expect([await a, await b]).toEqual([[{ a: 1 }], [{ b: 2 }]]);
  expect(log).toEqual(['send a1', 'send b2']);
});

test('one that cannot be sent keeps back later ones: they run when they are awaited', async () => {
  const call = testCall();
  const [a, b, c] = [
    startRead(read('a'), call, [1]),
    startRead(read('b', { sendable: false }), call, [2]),
    startRead(read('c'), call, [3]),
  ];
  expect([await a, await b, await c]).toEqual([[{ a: 1 }], [{ b: 2 }], [{ c: 3 }]]);
  expect(log).toEqual(['send a1', 'run b2', 'run c3']);
});

test('one that fails runs again, and later ones as well', async () => {
  const call = testCall();
  const [a, b, c] = [
    startRead(read('a'), call, [1]),
    startRead(read('b', { fails: 2 }), call, [2]),
    startRead(read('c'), call, [3]),
  ];
  expect([await a, await b, await c]).toEqual([[{ a: 1 }], [{ b: 2 }], [{ c: 3 }]]);
  expect(log).toEqual(['send a1', 'send b2', 'send c3', 'learn b', 'run b2', 'run c3']);
});

test('one whose time was over does not run again', async () => {
  const a = startRead(read('a', { fails: 1, kind: 'timeout' }), testCall(), [1]);
  await expect(a).rejects.toThrow('told');
  expect(log).toEqual(['send a1', 'learn a']);
});

test('nobody hears of one that is not awaited', async () => {
  const call = testCall();
  const a = startRead(read('a'), call, [1]);
  startRead(read('b', { fails: 2 }), call, [2]);
  await a;
  await turn();
  // A new series of reads does not wait for the unawaited read.
  expect(await startRead(read('c'), call, [3])).toEqual([{ c: 3 }]);
  expect(log).toEqual(['send a1', 'send b2', 'send c3']);
});

test('a call that is over learns it where it awaits', async () => {
  const call = {
    ...testCall(),
    proceed: () => {
      throw new Error('over');
    },
  };
  await expect(startRead(read('a'), call, [1])).rejects.toThrow('over');
});

test('iterations at the same time may await theirs in any order', async () => {
  const call = testCall();
  const iteration = async (index: number) => {
    const [a, b] = [startRead(read('a'), call, [index]), startRead(read('b'), call, [index])];
    return [await a, await b];
  };
  expect(await Promise.all([1, 2, 3].map(iteration))).toEqual(
    [1, 2, 3].map((index) => [[{ a: index }], [{ b: index }]]),
  );
});

const hundred = Array.from({ length: 100 }, (_, index) => index);

test('a loop sends its reads up to 32 ahead', async () => {
  const found: unknown[] = [];
  let max = 0;
  for await (const [element, [row]] of readEach(read('a'), testCall(), hundred, (value) => [value])) {
    max = Math.max(max, log.length - element);
    found.push(row?.['a']);
  }
  expect(found).toEqual(hundred);
  expect(max).toBe(32);
  expect(log).toEqual(hundred.map((value) => `send a${value}`));
});

test('without a connection to share, a loop runs one after the other', async () => {
  const alone = read('a', { sendable: false });
  for await (const [element] of readEach(alone, testCall(), [1, 2, 3], (value) => [value]))
    log.push(`${element}`);
  expect(log).toEqual(['run a1', '1', 'run a2', '2', 'run a3', '3']);
});

test('invalid values end the loop when it reaches them', async () => {
  const values = (value: number) => {
    if (value === 2) throw new Error('no value');
    return [value];
  };
  const loop = async () => {
    for await (const [element] of readEach(read('a'), testCall(), [1, 2, 3], values)) log.push(`${element}`);
  };
  await expect(loop()).rejects.toThrow('no value');
  expect(log).toEqual(['send a1', '1']);
});

test('a loop with several reads: each is awaited by itself, and an exception leaves the others alone', async () => {
  const call = testCall();
  const [a, b] = [read('a'), read('b', { fails: 2 })];
  const loop = async () => {
    const started = startEach(call, hundred, (value) => [
      startRead(a, call, [value]),
      startRead(b, call, [value]),
    ]);
    for (const [element, aRead, bRead] of started) {
      expect(await aRead).toEqual([{ a: element }]);
      if (element === 5) throw new Error('exception');
      expect(await bRead).toEqual([{ b: element }]);
    }
  };
  await expect(loop()).rejects.toThrow('exception');
  expect(log.slice(0, 4)).toEqual(['send a0', 'send b0', 'send a1', 'send b1']);
  expect(log.filter((entry) => entry.startsWith('run'))[0]).toBe('run b2');
});

test('invalid values of a loop with several reads end it when it reaches them', async () => {
  const call = testCall();
  const reads = (value: number) => {
    if (value === 2) throw new Error('no value');
    return [startRead(read('a'), call, [value])];
  };
  const loop = async () => {
    for (const [element, aRead] of startEach(call, hundred, reads)) {
      await aRead;
      log.push(`${element}`);
    }
  };
  await expect(loop()).rejects.toThrow('no value');
  expect(log.filter((entry) => !entry.startsWith('send'))).toEqual(['0', '1']);
});

test('a result for which the process has no memory is 503, and 500 after a change', async () => {
  const refusal = new ServiceError(503, 'The service is busy', { retryAfter: 1 });
  const refused: Call = {
    ...testCall(),
    hold: () => {
      throw refusal;
    },
  };
  const large = 'x'.repeat(100_000);
  await expect(startRead(read('a'), refused, [large])).rejects.toBe(refusal);
  const changed = { ...refused };
  noteChange(changed);
  await expect(startRead(read('a'), changed, [large])).rejects.toMatchObject({ status: 500 });
});
