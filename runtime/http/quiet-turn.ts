/** Waits for a turn of the event loop in which nothing happens. After it, no connection is waiting in this process. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Maximum milliseconds of a turn in which hardly anything happens. */
const quiet = 0.1;
/** A busy process has no such turn: the longer it is waited for, the longer it may be. Milliseconds for each millisecond of waiting. */
const gracePeriod = 1 / 500;

/**
 * Waits for a turn of the event loop that ends at once, and in which this count of events did not change; false if there was none for that
 * many milliseconds. A caller that acts on missing events must act right after the poll: everything in between is time in which they
 * arrive.
 */
export async function quietTurn(max: number, count: () => number = () => 0): Promise<boolean> {
  const start = performance.now();
  for (let begin = start; begin - start < max;) {
    const before = count();
    await nextTurn();
    const end = performance.now();
    if (count() === before && end - begin < quiet + (end - start) * gracePeriod) return true;
    begin = end;
  }
  return false;
}
