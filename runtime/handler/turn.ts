/** Pauses long computations, to serve other requests in between, and ends computations at the deadline of the call. */
import type { Call } from './call.js';

/** Maximum milliseconds that calls compute before a pause. */
const slice = 10;

/** Start of the current turn, in milliseconds of `performance.now()`; 0 before the first computation in the turn. */
let began = 0;

/** Paused calls. Each turn of the event loop resumes one call. */
const waiting: (() => void)[] = [];

/** Whether the call should pause now. */
export function isTurnOver(): boolean {
  const now = performance.now();
  if (began === 0) {
    began = now;
    setImmediate(beginTurn);
  }
  return now - began > slice;
}

/** Pauses until a later turn of the event loop. Throws the errors of `call.proceed`. */
export async function nextTurn(call: Call): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
  });
  call.proceed();
}

/** Runs once in each turn of the event loop, while calls compute or are paused. */
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
