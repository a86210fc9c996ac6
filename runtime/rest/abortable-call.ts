/** The call of a request that is aborted if its response is no longer needed. */
import type { Call } from '../handler/call.js';
import { InnerCall } from '../handler/inner-call.js';
import { ServiceError } from '../handler/reply.js';

/** Ends a request whose result is not needed. It is never the error of a call: an earlier request or the client has ended the call. */
export class NotNeeded extends ServiceError {
  constructor() {
    super(500, 'Internal server error', { log: { reason: 'a request that is not needed was aborted' } });
  }
}

/** The call itself without a signal. */
export function abortableBy(signal: AbortSignal | undefined, call: Call): Call {
  return signal === undefined ? call : new AbortableCall(call, signal);
}

class AbortableCall extends InnerCall {
  readonly depth: number;

  constructor(
    outer: Call,
    private readonly aborting: AbortSignal,
  ) {
    super(outer);
    this.depth = outer.depth ?? 0;
  }

  override get signal(): AbortSignal {
    return this.aborting;
  }

  override proceed(now?: number): void {
    super.proceed(now);
    if (this.aborting.aborted) throw new NotNeeded();
  }
}
