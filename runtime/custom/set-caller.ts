/** The caller that `src/middleware.ts` sets, for operations that accept an authentication of type custom, and for no others. */
import type { IncomingMessage } from 'node:http';
import type { Json, JsonObject } from '../handler/json.js';

const callers = new WeakMap<IncomingMessage, JsonObject>();

/** Who calls: at least `sub`, and what else expressions read by CALLER. */
export interface CustomCaller {
  readonly sub: string;
  readonly [claim: string]: Json | undefined;
}

/** Says who has sent the request, for `src/middleware.ts`. Throws a TypeError without a `sub`. */
export function setCaller(request: IncomingMessage, caller: CustomCaller): void {
  if (typeof caller.sub !== 'string' || caller.sub === '')
    throw new TypeError('A caller needs a `sub`, a string');
  // A copy: what the middleware changes later is not who has called.
  callers.set(request, JSON.parse(JSON.stringify(caller)) as JsonObject);
}

export function callerOf(request: IncomingMessage): JsonObject | undefined {
  return callers.get(request);
}
