/** Waits that end at a deadline. */
import { DatabaseFailure } from './failure.js';

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
