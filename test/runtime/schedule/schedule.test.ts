/** Timed operations in this process, with a simulated clock. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import { fail, ServiceError } from '../../../runtime/handler/reply.js';
import { reply } from '../../../runtime/responses/reply.js';
import { createSchedule, type TimedTrigger } from '../../../runtime/schedule/schedule.js';
import type { Datasource, Schedule, ScheduleHost } from '../../../runtime/server/contracts.js';
import { StartError } from '../../../runtime/server/environment.js';

let entries: Record<string, unknown>[];
let schedules: Schedule[];

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2024-01-01T00:00:00.250Z') });
  entries = [];
  schedules = [];
});

afterEach(async () => {
  const stopped = schedules.map((schedule) => schedule.stop());
  // A kept PGlite of the same process may have a timer that begins another one.
  await vi.runOnlyPendingTimersAsync();
  await Promise.all(stopped);
  vi.useRealTimers();
});

const stream = new Writable({
  write(chunk: Buffer, _encoding, done) {
    entries.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
    done();
  },
});

function open(
  triggers: readonly Partial<TimedTrigger>[],
  settings: Partial<ScheduleHost['settings']> = {},
  datasources: readonly Datasource[] = [],
): Schedule {
  const defaults = {
    operation: 'clean-up',
    trigger: 'often',
    cron: '* * * * * *',
    timezone: 'UTC',
    handler: () => undefined,
  };
  const schedule = createSchedule(triggers.map((trigger) => ({ ...defaults, ...trigger })));
  void schedule.open({
    settings: {
      schedule: true,
      scheduleLedger: undefined,
      scheduleTimeout: 0,
      shutdownTimeout: 0,
      requestTimeout: 0,
      ...settings,
    },
    datasources,
    log: pino({ base: null, formatters: { level: (level) => ({ level }) } }, stream),
  });
  schedules.push(schedule);
  return schedule;
}

function logged(message: string): Record<string, unknown>[] {
  return entries.filter(({ msg }) => msg === message);
}

/** Waits on the simulated clock. */
function sleep(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, undefined));
}

describe('ticks', () => {
  test('each trigger runs its operation at its ticks; the log has the next tick and how each run ended', async () => {
    const runs: string[] = [];
    const note = (name: string) => () => {
      runs.push(name);
      return reply(200, runs.length);
    };
    open([
      { handler: note('one') },
      { trigger: 'seldom', cron: '*/2 * * * * *', handler: note('two') },
    ]).start();
    expect(logged('timed operation scheduled')).toMatchObject([
      { operation: 'clean-up', trigger: 'often', next: '2024-01-01T00:00:01.000Z' },
      { operation: 'clean-up', trigger: 'seldom', next: '2024-01-01T00:00:02.000Z' },
    ]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(runs.sort()).toEqual(['one', 'one', 'two']);
    expect(logged('timed operation ended')[0]).toEqual({
      level: 'info',
      time: expect.any(Number) as number,
      operation: 'clean-up',
      trigger: 'often',
      tick: '2024-01-01T00:00:01.000Z',
      milliseconds: 0,
      msg: 'timed operation ended',
    });
  });

  test('triggers of one operation share its run; those of others do not', async () => {
    const runs: string[] = [];
    const handler = (name: string) => async () => {
      runs.push(name);
      await sleep(1500);
      return undefined;
    };
    const schedule = open([
      { trigger: 'a', handler: handler('a') },
      { trigger: 'b', handler: handler('b') },
      { operation: 'other', trigger: 'c', handler: handler('c') },
    ]);
    schedule.start();
    await vi.advanceTimersByTimeAsync(1000);
    expect(runs).toEqual(['a', 'c']);
    expect(logged('tick skipped: the last run is still going')).toMatchObject([
      { operation: 'clean-up', trigger: 'b' },
    ]);
  });

  test('a tick during the last run is skipped and logged', async () => {
    let runs = 0;
    const handler = () => {
      runs += 1;
      return sleep(2500);
    };
    open([{ handler }]).start();
    await vi.advanceTimersByTimeAsync(4000);
    expect(runs).toBe(2);
    expect(logged('tick skipped: the last run is still going')).toMatchObject([
      { level: 'warn', operation: 'clean-up', trigger: 'often', tick: '2024-01-01T00:00:02.000Z' },
      { tick: '2024-01-01T00:00:03.000Z' },
    ]);
  });

  test('SCHEDULE=off: nothing runs by itself, and `run` still does', async () => {
    const handler = vi.fn(() => undefined);
    const schedule = open([{ handler }], { schedule: false });
    schedule.start();
    await vi.advanceTimersByTimeAsync(3000);
    expect(handler).not.toHaveBeenCalled();
    expect(await schedule.run('clean-up')).toBe(true);
    expect(handler).toHaveBeenCalledTimes(1);
    await expect(schedule.run('others')).rejects.toThrow("no timed operation 'others'");
  });

  test('one that still runs is not run a second time, whoever asks', async () => {
    const handler = vi.fn(() => sleep(1000));
    const schedule = open([{ handler }], { schedule: false });
    const first = schedule.run('clean-up');
    expect(await schedule.run('clean-up')).toBe(false);
    expect(logged('timed operation not run: the last run is still going')).toMatchObject([
      { level: 'warn', operation: 'clean-up' },
    ]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await first).toBe(true);
    expect(handler).toHaveBeenCalledTimes(1);
  });

  test('a ledger that cannot be asked: the tick is not run, and that is logged; the next one is', async () => {
    let away = true;
    const handler = vi.fn(() => undefined);
    const statement = () => () =>
      away
        ? Promise.reject(
            new ServiceError(503, 'The database is not available', { log: { datasource: 'jobs' } }),
          )
        : Promise.resolve([{ tick: 'claimed' }]);
    const jobs = { name: 'jobs', kind: 'postgresql', read: statement, update: statement };
    const database = { ...jobs, open: () => [], close: () => undefined };
    open([{ handler }], { scheduleLedger: 'jobs' }, [database]).start();
    await vi.advanceTimersByTimeAsync(1000);
    expect(handler).not.toHaveBeenCalled();
    expect(logged('tick not run: the schedule ledger cannot be asked')).toMatchObject([
      { level: 'error', operation: 'clean-up', trigger: 'often', status: 503, datasource: 'jobs' },
    ]);
    away = false;
    await vi.advanceTimersByTimeAsync(1000);
    expect(handler).toHaveBeenCalledTimes(1);
  });

  test('the stop waits for the current run, and there are no further ticks', async () => {
    let ended = 0;
    const handler = async () => {
      await sleep(2500);
      ended += 1;
      return undefined;
    };
    const schedule = open([{ handler }]);
    schedule.start();
    await vi.advanceTimersByTimeAsync(1000);
    const stopped = schedule.stop().then(() => ended);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await stopped).toBe(1);
    expect(ended).toBe(1);
  });
});

describe('runs', () => {
  test('PARAM and BODY are null, and there is no limit unless SCHEDULE_TIMEOUT is set', async () => {
    const calls: Call[] = [];
    const handler = (call: Call) => {
      calls.push(call);
      return undefined;
    };
    await open([{ handler }]).run('clean-up');
    const before = performance.now();
    await open([{ handler }], { scheduleTimeout: 5000 }).run('clean-up');
    const [unlimited, limited] = calls;
    expect([unlimited?.param('id'), unlimited?.param('__proto__'), unlimited?.body]).toEqual([
      null,
      null,
      null,
    ]);
    expect(unlimited?.deadline).toBe(Infinity);
    expect(limited?.deadline).toBe(before + 5000);
    await vi.advanceTimersByTimeAsync(5001);
    expect(() => unlimited?.proceed()).not.toThrow();
    expect(() => limited?.proceed()).toThrow(expect.objectContaining({ status: 504 }));
  });

  const conflict = new ServiceError(409, 'The change conflicts', {
    log: { fulfillment: 'news', code: '23505' },
  });
  const away = new ServiceError(503, 'The database is not available', { log: { datasource: 'main' } });

  test.each<[string, TimedTrigger['handler'], Record<string, unknown>]>([
    [
      'an exception that fired',
      () => Promise.reject(fail(404, 'No such news')),
      { level: 'warn', status: 404, message: 'No such news', msg: 'timed operation: an exception fired' },
    ],
    [
      'a value that the database rejects',
      () => Promise.reject(conflict),
      { level: 'warn', status: 409, fulfillment: 'news', code: '23505', msg: 'timed operation failed' },
    ],
    [
      'a database that is away',
      () => Promise.reject(away),
      { level: 'warn', status: 503, datasource: 'main', msg: 'timed operation failed' },
    ],
    [
      'our own error, thrown immediately',
      () => {
        throw new TypeError('x is not a function');
      },
      { level: 'error', status: 500, error: { type: 'TypeError', message: 'x is not a function' } },
    ],
  ])('%s is logged, and the next tick runs', async (_, handler, entry) => {
    const spy = vi.fn(handler);
    const schedule = open([{ handler: spy }]);
    schedule.start();
    await vi.advanceTimersByTimeAsync(2000);
    expect(spy).toHaveBeenCalledTimes(2);
    const failures = entries.filter(({ level }) => level !== 'info');
    expect(failures).toHaveLength(2);
    expect(failures[1]).toMatchObject({
      operation: 'clean-up',
      trigger: 'often',
      tick: '2024-01-01T00:00:02.000Z',
      milliseconds: 0,
      ...entry,
    });
    expect(await schedule.run('clean-up')).toBe(false);
  });
});

describe('what keeps the service from starting', () => {
  const problems = (run: () => unknown): readonly string[] => {
    try {
      run();
    } catch (error) {
      if (error instanceof StartError) return error.problems;
    }
    return [];
  };
  const plain: Datasource = { name: 'api', open: () => [], close: () => undefined };
  const unused = () => () => Promise.resolve([]);
  const database = { ...plain, name: 'newsdb', kind: 'postgresql', read: unused, update: unused };

  test('SCHEDULE_LEDGER that names no database', () => {
    expect(problems(() => open([{}], { scheduleLedger: 'newsdb' }, [plain, database]))).toEqual([]);
    expect(problems(() => open([{}], { scheduleLedger: 'api' }, [plain, database]))).toEqual([
      'SCHEDULE_LEDGER is "api", which is not a database of this service; it knows newsdb',
    ]);
    expect(problems(() => open([{}], { scheduleLedger: 'x' }))).toEqual([
      'SCHEDULE_LEDGER is "x", which is not a database of this service; it has none',
    ]);
  });

  test('a time zone that this machine does not know', () => {
    expect(problems(() => open([{ timezone: 'Nowhere/City' }]))).toEqual([
      expect.stringMatching(/^operation clean-up, trigger often: .*Nowhere\/City/),
    ]);
  });
});
