/** A minimal call for tests, with a generous deadline. */
import type { Call } from '../../runtime/handler/call.js';

/** A call whose deadline is in `milliseconds`. */
export function testCall(milliseconds = 10_000): Call {
  return {
    param: () => null,
    header: () => null,
    query: () => null,
    cookie: () => null,
    caller: null,
    file: () => null,
    files: () => [],
    body: null,
    deadline: performance.now() + milliseconds,
    proceed: () => undefined,
  };
}
