/** Runs again what a conflict with another change has undone, after a pause. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Call } from '../handler/call.js';

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
