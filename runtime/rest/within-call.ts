/** Waits for what several calls wait for, each at most until its own end. */
import type { Call } from '../handler/call.js';

/** Longer timers would end at once. */
const longestTimer = 2 ** 31 - 1;

/** The result of the promise. Throws what `late` returns if the call ends first, and what the call throws if its client has gone away meanwhile. */
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
