/** Waits for user code, but not beyond the end of its call, because a promise may never settle. */
import type { Call } from '../handler/call.js';
import { asError } from '../handler/reply.js';

/** Milliseconds between two looks whether the client is still there. */
const pause = 100;

/**
 * The result of the work. If the call ends first, throws its error and aborts the signal; the later result or error of the work is ignored.
 */
export async function untilEnd<Result>(
  call: Call,
  work: (signal: AbortSignal) => Result | PromiseLike<Result>,
): Promise<Result> {
  const controller = new AbortController();
  let looks: NodeJS.Timeout | undefined;
  let last: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    const look = (): void => {
      try {
        call.proceed();
      } catch (error) {
        clearInterval(looks);
        controller.abort();
        reject(asError(error));
      }
    };
    looks = setInterval(look, pause);
    const left = call.deadline - performance.now();
    // One look just after the deadline. The other looks can be late by up to one pause.
    if (left < pause) last = setTimeout(look, Math.max(0, left) + 1);
  });
  try {
    return await Promise.race([work(controller.signal), end]);
  } finally {
    clearInterval(looks);
    clearTimeout(last);
  }
}
