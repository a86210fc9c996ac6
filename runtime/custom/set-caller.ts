/** The caller set by `src/middleware.ts`, visible only to operations that accept a custom authentication. */
import type { IncomingMessage } from 'node:http';
import type { Json, JsonObject } from '../handler/json.js';

const callers = new WeakMap<IncomingMessage, JsonObject>();

/** The caller: at least `sub`, and the claims that expressions read with CALLER. */
export interface CustomCaller {
  readonly sub: string;
  readonly [claim: string]: Json | undefined;
}

/** Sets the caller of a request; for use in `src/middleware.ts`. Throws a TypeError if `sub` is missing. */
export function setCaller(request: IncomingMessage, caller: CustomCaller): void {
  if (typeof caller.sub !== 'string' || caller.sub === '')
    throw new TypeError('A caller needs a `sub`, a string');
  // A copy, so that later changes by the middleware have no effect.
  callers.set(request, JSON.parse(JSON.stringify(caller)) as JsonObject);
}

export function callerOf(request: IncomingMessage): JsonObject | undefined {
  return callers.get(request);
}
