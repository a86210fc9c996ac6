/** A call as a test starts it: nothing in it, and time enough. */
import type { Call } from '../../runtime/handler/call.js';

/** A call that ends in so many milliseconds. */
export function testCall(milliseconds = 10_000): Call {
  return {
    param: () => null,
    header: () => null,
    query: () => null,
    cookie: () => null,
    caller: null,
    file: () => null,
    body: null,
    deadline: performance.now() + milliseconds,
    proceed: () => undefined,
  };
}
