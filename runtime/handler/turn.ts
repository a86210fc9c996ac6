/** Pauses long computations, so that other requests are served meanwhile, and ends them at the call's deadline. */
import type { Call } from './call.js';

/** Milliseconds that calls compute before others get their turn. */
const slice = 10;

/** When the turn began that is under way, in milliseconds of `performance.now()`; 0 where nothing has computed in it. */
let began = 0;

/** Calls that wait for their turn: one in each turn of the event loop, however many there are. */
const waiting: (() => void)[] = [];

/** Whether it is time to let others have a turn. */
export function isTurnOver(): boolean {
  const now = performance.now();
  if (began === 0) {
    began = now;
    setImmediate(beginTurn);
  }
  return now - began > slice;
}

/** Lets others have a turn, then goes on. Throws as `call.proceed` does. */
export async function nextTurn(call: Call): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
  });
  call.proceed();
}

/** Runs once in each turn of the event loop while somebody computes or waits. */
function beginTurn(): void {
  const next = waiting.shift();
  if (next === undefined) {
    began = 0;
    return;
  }
  began = performance.now();
  setImmediate(beginTurn);
  next();
}
