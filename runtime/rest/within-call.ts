/** Waits for a result shared by several calls; each call stops waiting at its own end. */
import type { Call } from '../handler/call.js';
import { asError } from '../handler/reply.js';

/** Longer timers would fire immediately. */
const longestTimer = 2 ** 31 - 1;

/**
 * The result of the promise. Throws the error from `late` if the call ends first, and the error of the call if its client disconnects
 * meanwhile, or if its request is aborted.
 */
export async function withinCall<Result>(
  call: Call,
  promise: Promise<Result>,
  late: () => Error,
): Promise<Result> {
  // The call may end before anything waits for the promise.
  promise.catch(() => undefined);
  const left = Math.min(call.deadline - performance.now(), longestTimer);
  const { signal } = call;
  if (signal?.aborted === true) call.proceed();
  let timer: NodeJS.Timeout | undefined;
  let abort = (): void => undefined;
  const end = new Promise<never>((_, reject) => {
    abort = () => {
      try {
        call.proceed();
      } catch (error) {
        reject(asError(error));
      }
    };
    signal?.addEventListener('abort', abort);
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
    signal?.removeEventListener('abort', abort);
  }
}
