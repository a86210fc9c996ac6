/** Loops whose iterations run at the same time (`concurrency`, decisions 7.5). */
import type { Call } from './call.js';
import { afterChanges } from './changes.js';
import type { Reply } from './reply.js';
import { isTurnOver, nextTurn } from './turn.js';

/** How an iteration ended the loop. */
type Ending = { readonly reply: Reply } | { readonly error: unknown };

/**
 * Runs the iterations, at most `limit` at a time, and starts them in the order of the elements. An iteration that gives
 * a reply, or throws, ends the loop: no other is started, and those that run are waited for. Of several such, the one
 * that comes first in the order of the elements is the result, as if they had run one after the other. Undefined when
 * none ended the loop. Inside a transaction they run one after the other: its statements do so anyway, and the first that
 * fails ends it.
 */
export async function concurrently<Element>(
  call: Call,
  limit: number,
  elements: readonly Element[],
  run: (element: Element, position: number) => Promise<Reply | undefined>,
): Promise<Reply | undefined> {
  const endings = new Map<number, Ending>();
  const iterations = elements.entries();

  const lane = async (): Promise<void> => {
    for (const [position, element] of iterations) {
      const ending = await endingOf(async () => {
        if (isTurnOver()) await nextTurn(call);
        return run(element, position);
      });
      if (ending !== undefined) endings.set(position, ending);
      if (endings.size > 0) return;
    }
  };
  const lanes = call.transaction === undefined ? Math.min(limit, elements.length) : 1;
  await Promise.all(Array.from({ length: lanes }, lane));

  const first = endings.get(Math.min(...endings.keys()));
  // What ran at the same time may have changed something since.
  if (first !== undefined && 'error' in first)
    throw call.transaction === undefined ? afterChanges(call, first.error) : first.error;
  return first?.reply;
}

async function endingOf(run: () => Promise<Reply | undefined>): Promise<Ending | undefined> {
  try {
    const reply = await run();
    return reply && { reply };
  } catch (error) {
    return { error };
  }
}
