/** Ticks while the clock jumps or the process is suspended. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readCron } from '../../../runtime/schedule/cron.js';
import { TickTimer } from '../../../runtime/schedule/tick-timer.js';

const start = Date.parse('2024-01-01T00:00:00.250Z');
let timer: TickTimer;
let logged: string[];

beforeEach(() => {
  vi.useFakeTimers({ now: start });
  logged = [];
});

afterEach(() => {
  timer.stop();
  vi.useRealTimers();
});

function run(pattern: string, timezone = 'UTC'): void {
  const time = (tick: Date) => tick.toISOString().slice(11, 19);
  timer = new TickTimer(readCron(pattern, timezone), {
    tick: (tick) => logged.push(time(tick)),
    missed: (first) => logged.push(`missed ${time(first)}`),
  });
  timer.start();
}

test('every tick is reported once, with its own time', () => {
  run('*/2 * * * * *');
  vi.advanceTimersByTime(6000);
  expect(logged).toEqual(['00:00:02', '00:00:04', '00:00:06']);
});

test('a tick that is days away', () => {
  run('0 0 0 5 * *');
  vi.advanceTimersByTime(4 * 86_400_000);
  expect(logged).toEqual(['00:00:00']);
});

test('nothing is reported after the stop', () => {
  run('* * * * * *');
  vi.advanceTimersByTime(1000);
  timer.stop();
  vi.advanceTimersByTime(5000);
  expect(logged).toEqual(['00:00:01']);
});

test('a schedule that never ticks waits for nothing', () => {
  run('0 0 0 30 2 *');
  expect(vi.getTimerCount()).toBe(0);
});

/** Advances the clock but not the timers, as if the process had been suspended. */
function blockThread(milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds);
}

test('the process is blocked for a while: each tick is reported late', () => {
  run('* * * * * *');
  vi.advanceTimersByTime(1000);
  blockThread(3000);
  vi.advanceTimersByTime(1000);
  expect(logged).toEqual(['00:00:01', '00:00:02', '00:00:03', '00:00:04', '00:00:05']);
});

test('the process is blocked for long: ticks are missed, reported once, and not made up', () => {
  run('* * * * * *');
  vi.advanceTimersByTime(1000);
  blockThread(3_600_000);
  vi.advanceTimersByTime(2000);
  expect(logged).toEqual(['00:00:01', 'missed 00:00:02', '01:00:02', '01:00:03']);
});

test('the clock is set forward: the tick of the new time is reported', () => {
  run('0 0 6 * * *');
  vi.setSystemTime(Date.parse('2024-01-01T05:59:50Z'));
  vi.advanceTimersByTime(40_000);
  expect(logged).toEqual(['06:00:00']);
});

test('the clock is set back a little: no tick is reported twice', () => {
  run('* * * * * *');
  vi.advanceTimersByTime(3000);
  vi.setSystemTime(Date.now() - 2500);
  vi.advanceTimersByTime(4000);
  expect(logged).toEqual(['00:00:01', '00:00:02', '00:00:03', '00:00:04']);
});

test('the clock is set back an hour: the ticks follow it', () => {
  run('0 */10 * * * *');
  vi.advanceTimersByTime(3_600_000);
  logged = [];
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(1_200_000);
  expect(logged).toEqual(['00:10:00', '00:20:00']);
});

test.each([
  ['leaves out', '2024-03-30T23:00:00Z', ['01:00:00', '00:30:00']],
  ['has twice', '2024-10-26T22:00:00Z', ['00:30:00', '01:30:00']],
])('a time of day that a change of clocks %s: one tick a day', (_, from, expected) => {
  vi.setSystemTime(Date.parse(from));
  run('0 30 2 * * *', 'Europe/Berlin');
  vi.advanceTimersByTime(2 * 86_400_000);
  expect(logged).toEqual(expected);
});
