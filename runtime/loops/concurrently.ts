/** Loops with concurrent iterations (`concurrency`). */
import { afterChanges, type Call } from '../handler/call.js';
import { isTurnOver, nextTurn } from '../handler/turn.js';

/**
 * Runs at most `limit` iterations concurrently, started in the order of the elements.
 *
 * - An iteration that throws ends the loop: no more iterations are started, and running ones are awaited.
 * - If there are several errors, that of the earliest element is thrown, as if the iterations had run in order.
 * - In a transaction, iterations run one after another, because its statements do so anyway.
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
  // Concurrent iterations may have changed data in the meantime.
  throw call.transaction === undefined ? afterChanges(call, first) : first;
}
