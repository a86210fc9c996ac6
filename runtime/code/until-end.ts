/** Waits for own code, at most until its call ends: nothing else ends a promise that never does. */
import type { Call } from '../handler/call.js';
import { asError } from '../handler/reply.js';

/** Milliseconds between two looks whether the client is still there. */
const pause = 100;

/**
 * The result of the work. Throws what the call throws if it ends first, and aborts the signal. What the work does behind that is ignored,
 * also what it throws.
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
    // A look behind the deadline; the others are at most a pause late.
    if (left < pause) last = setTimeout(look, Math.max(0, left) + 1);
  });
  try {
    return await Promise.race([work(controller.signal), end]);
  } finally {
    clearInterval(looks);
    clearTimeout(last);
  }
}
