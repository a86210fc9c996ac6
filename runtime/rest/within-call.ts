/** Waits for a result shared by several calls; each call stops waiting at its own end. */
import type { Call } from '../handler/call.js';

/** Longer timers would fire immediately. */
const longestTimer = 2 ** 31 - 1;

/**
 * Returns the result of the promise. Throws the error from `late` if the call ends first, and the error of the call if its client
 * disconnects.
 */
export async function withinCall<Result>(
  call: Call,
  promise: Promise<Result>,
  late: () => Error,
): Promise<Result> {
  const left = Math.min(call.deadline - performance.now(), longestTimer);
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        reject(late());
      },
      Math.max(0, left),
    );
  });
  try {
    const result = await Promise.race([promise, end]);
    call.proceed();
    return result;
  } finally {
    clearTimeout(timer);
  }
}
