/** Waits for a result that several calls share, each at most until its own end. */
import type { Call } from '../handler/call.js';

/** Longer timers would end immediately. */
const longestTimer = 2 ** 31 - 1;

/**
 * The result of the promise. Throws the error from `late` if the call ends first, and the error of the call if its client disconnects
 * meanwhile.
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
