/** Waits that end at a deadline, and pauses before what a conflict has undone runs again. */
import { DatabaseFailure } from './failure.js';
import { setTimeout as delay } from 'node:timers/promises';
import type { Call } from '../handler/call.js';

/**
 * The work's result, or at the deadline (milliseconds of `performance.now()`) a DatabaseFailure from `expired`, which may also close the
 * connection of the work. A later outcome of the work is ignored.
 */
export function beforeDeadline<Result>(
  work: Promise<Result>,
  deadline: number,
  expired: () => DatabaseFailure,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => {
        reject(expired());
      },
      Math.max(0, deadline - performance.now()),
    );
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}

/** Resolves when the work has ended in whatever way, or at the deadline. */
export async function settledBefore(work: Promise<unknown>, deadline: number): Promise<void> {
  const expired = () => new DatabaseFailure({ kind: 'timeout' });
  await beforeDeadline(work, deadline, expired).catch(() => undefined);
}

/** How often it is run again. */
const repetitions = 3;

/** Milliseconds of the first pause, on average; each one after it is this many times as long. */
const firstPause = 50;
const growth = 4;

/**
 * Runs the attempt, and again where it throws what `isConflict` accepts, after growing random pauses and within the time of the
 * call. An attempt that throws this must have left nothing behind. Throws the error of the last one, or what `proceed` throws.
 */
export async function repeatConflicts<Result>(
  call: Call,
  attempt: () => Promise<Result>,
  isConflict: (error: unknown) => boolean,
): Promise<Result> {
  for (let round = 0; ; round += 1) {
    try {
      return await attempt();
    } catch (error) {
      // From nothing to twice as long: those who met do not meet again.
      const pause = firstPause * growth ** round * 2 * Math.random();
      if (!isConflict(error) || round === repetitions || performance.now() + pause >= call.deadline)
        throw error;
      await delay(pause);
    }
    call.proceed();
  }
}
