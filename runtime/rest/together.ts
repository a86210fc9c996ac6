/** Requests that are sent at the same time (`together`), with the results and errors of requests one after the other. */
import { afterChanges, type Call } from '../handler/call.js';

/** The functions that send the requests, by their results. */
type Sending<Results extends readonly unknown[]> = {
  readonly [Index in keyof Results]: (signal: AbortSignal) => Results[Index] | Promise<Results[Index]>;
};

/**
 * Starts all functions in their order, and returns their results. Each function passes the signal to its request, and also checks what would
 * end the call after it.
 *
 * - If a function throws, the signals of those after it are aborted: one after the other, they would not have been sent.
 * - Of several errors, the one of the first function is thrown, when all functions have ended.
 * - If the client disconnects, all signals are aborted.
 */
export async function together<const Results extends readonly unknown[]>(
  call: Call,
  requests: Sending<Results>,
): Promise<Results> {
  const all = requests.map((send) => ({ send, controller: new AbortController() }));
  const abortFrom = (first: number): void => {
    for (const { controller } of all.slice(first)) controller.abort();
  };
  const stopWatching = call.onDisconnect?.(() => {
    abortFrom(0);
  });
  const outcomes = await Promise.allSettled(
    all.map(async ({ send, controller }, index) => {
      try {
        return await send(controller.signal);
      } catch (error) {
        abortFrom(index + 1);
        throw error;
      }
    }),
  );
  stopWatching?.();
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  // Requests that were sent at the same time may have changed something since.
  if (failed !== undefined) throw afterChanges(call, failed.reason);
  return outcomes.map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value : undefined,
  ) as unknown as Results;
}
