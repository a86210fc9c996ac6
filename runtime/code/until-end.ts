/** Waits for user code, but only until its call ends, because a promise may never settle. */
import type { Call } from '../handler/call.js';
import { asError } from '../handler/reply.js';

/** Milliseconds between two checks of whether the client is still connected. */
const pause = 100;

/**
 * Returns the result of the work. If the call ends first, throws the error of the call and aborts the signal; later outcomes of the
 * work are ignored.
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
    // An additional check just after the deadline, because regular checks can be late by one pause.
    if (left < pause) last = setTimeout(look, Math.max(0, left) + 1);
  });
  try {
    return await Promise.race([work(controller.signal), end]);
  } finally {
    clearInterval(looks);
    clearTimeout(last);
  }
}
