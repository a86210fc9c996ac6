/** Timed operations of a service process: stopping, and `run <operation>`. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { killAll, startProcess, type Started } from '../start-process.js';

afterEach(killAll);

function start(variables: Record<string, string> = {}, ...args: string[]): Started {
  return startProcess('./schedule/main.ts', { DATASOURCE_MAIN_URL: 'x', ...variables }, args);
}

describe('the stop', () => {
  test('SIGTERM: the run that is going on ends, then the datasources are closed, status 0', async () => {
    const service = start({ SLOW: '1500' });
    await service.until('slow begins');
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.out).toMatch(/slow ends\n[^]*closed\n/);
    expect(service.log.at(-1)).toMatchObject({ operation: 'slow', msg: 'timed operation ended' });
    expect(service.out.split('slow begins')).toHaveLength(2);
  });

  test('SHUTDOWN_TIMEOUT cuts off what takes longer', async () => {
    const service = start({ SLOW: '60000', SHUTDOWN_TIMEOUT: '200' });
    await service.until('slow begins');
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.out).toContain('cut off');
    expect(service.out).not.toContain('slow ends');
  });

  test('a rejection that nobody handles in a run ends the process, as elsewhere', async () => {
    const run = start({}, 'run', 'rejection');
    expect(await run.ended).toBe(1);
    expect(run.out).toContain('"level":"fatal"');
    expect(run.out).not.toContain('nobody waits');
  });
});

test('SCHEDULE=off: no run', async () => {
  const service = start({ SCHEDULE: 'OFF' });
  await service.port();
  await delay(1500);
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
  expect(service.out).not.toContain('slow begins');
  expect(service.out).toContain('SCHEDULE is off');
});

describe('run <operation>', () => {
  test('runs it once without HTTP and timers, status 0', async () => {
    const run = start({ SLOW: '1200' }, 'run', 'slow');
    expect(await run.ended).toBe(0);
    expect(run.out.split('slow begins')).toHaveLength(2);
    expect(run.out).not.toContain('listening');
    expect(run.log).toMatchObject([{ operation: 'slow', msg: 'timed operation ended' }]);
    expect(run.out).toMatch(/slow ends\n[^]*closed\n/);
  });

  test.each([
    ['nightly clean-up', 0],
    ['exception', 1],
    ['error', 1],
  ])('%s has status %i', async (operation, status) => {
    const run = start({}, 'run', operation);
    expect(await run.ended).toBe(status);
    expect(run.log).toMatchObject([{ operation }]);
  });

  const known = 'This service has "slow", "nightly clean-up", "exception", "error", "rejection"\n';
  test.each([
    [['nightly'], `There is no timed operation "nightly". ${known}`],
    [[], `Which operation is to run? ${known}`],
    [['nightly', 'clean-up'], `One operation runs at a time; put a name with spaces into quotes. ${known}`],
  ])('run %j is one sentence and status 2', async (args, sentence) => {
    const run = start({}, 'run', ...args);
    expect(await run.ended).toBe(2);
    expect([run.out, run.errors]).toEqual(['', sentence]);
  });

  test('settings that are wrong are a sentence and status 1, as for the service', async () => {
    const run = start({ SCHEDULE_LEDGER: 'main' }, 'run', 'slow');
    expect(await run.ended).toBe(1);
    expect(run.errors).toBe(
      'SCHEDULE_LEDGER is "main", which is not a database of this service; it has none\n',
    );
  });

  test('SIGTERM leaves it SHUTDOWN_TIMEOUT: what ends in time is fine, what does not has failed', async () => {
    const quick = start({ SLOW: '600' }, 'run', 'slow');
    await quick.until('slow begins');
    quick.child.kill('SIGTERM');
    expect(await quick.ended).toBe(0);
    const slow = start({ SLOW: '60000', SHUTDOWN_TIMEOUT: '100' }, 'run', 'slow');
    await slow.until('slow begins');
    slow.child.kill('SIGTERM');
    expect(await slow.ended).toBe(1);
    expect(slow.out).toContain('cut off');
  });
});
