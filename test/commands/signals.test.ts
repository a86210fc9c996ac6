/** Listeners for signals, and for messages on Windows, are removed after the work, because a process may do the work many times. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { stoppedBySignal } from '../../compiler/tools/commands/shared/signals.js';

function listeners(process: EventEmitter): number[] {
  return ['SIGINT', 'SIGTERM', 'SIGBREAK', 'message'].map((event) => process.listenerCount(event));
}

test.each(['SIGINT', 'SIGTERM', 'SIGBREAK', 'message'])(
  'the first %s stops it, and the second one meets no listener',
  async (signal) => {
    const process = new EventEmitter();
    const stopped = await stoppedBySignal(process, async (stop) => {
      expect([stop.aborted, ...listeners(process)]).toEqual([false, 1, 1, 1, 1]);
      await Promise.resolve();
      process.emit('message', 'something else');
      expect(stop.aborted).toBe(false);
      process.emit(signal, 'shutdown');
      return [stop.aborted, ...listeners(process)];
    });
    expect(stopped).toEqual([true, 0, 0, 0, 0]);
  },
);

test.each([
  ['ends', () => Promise.resolve(1)],
  ['fails', () => Promise.reject(new Error('it failed'))],
])('work that %s leaves no listener', async (_, work) => {
  const process = new EventEmitter();
  await Promise.allSettled([stoppedBySignal(process, work)]);
  expect(listeners(process)).toEqual([0, 0, 0, 0]);
});
