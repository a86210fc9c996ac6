/** Loops whose iterations run at the same time (`concurrency`). */
import { afterChanges, type Call } from '../handler/call.js';
import { isTurnOver, nextTurn } from '../handler/turn.js';

/**
 * Runs the iterations, at most `limit` at a time, and starts them in the order of the elements.
 *
 * - An iteration that throws ends the loop: no further iteration is started, and running ones are awaited.
 * - Of several errors, the one of the earliest element is thrown, as if the iterations had run one after the other.
 * - Inside a transaction they run one after the other, because its statements do so anyway.
 */
export async function concurrently<Element>(
  call: Call,
  limit: number,
  elements: readonly Element[],
  run: (element: Element, position: number) => Promise<void>,
): Promise<void> {
  const errors = new Map<number, unknown>();
  const iterations = elements.entries();

  const worker = async (): Promise<void> => {
    for (const [position, element] of iterations) {
      try {
        if (isTurnOver()) await nextTurn(call);
        await run(element, position);
      } catch (error) {
        errors.set(position, error);
      }
      if (errors.size > 0) return;
    }
  };
  const workers = call.transaction === undefined ? Math.min(limit, elements.length) : 1;
  await Promise.all(Array.from({ length: workers }, worker));

  if (errors.size === 0) return;
  const first = errors.get(Math.min(...errors.keys()));
  // Iterations that ran at the same time may have changed data since.
  throw call.transaction === undefined ? afterChanges(call, first) : first;
}
