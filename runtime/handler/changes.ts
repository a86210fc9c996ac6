/** What a call has changed for good, so that nobody is invited to run the whole of it again (decisions 11.13). */
import type { Call } from './call.js';
import { ServiceError } from './service-error.js';

const changed = new WeakSet<Call>();

/** Takes note of a change that stays, whatever becomes of the rest of the call: in a database, or in another system. */
export function noteChange(call: Call): void {
  changed.add(call.root ?? call);
}

/**
 * The error that ends the call. One that says `Retry-After`, because its own step has done nothing, does not where an earlier step
 * has: another try would do that step twice.
 */
export function afterChanges(call: Call, error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.details.retryAfter === undefined) return error;
  if (!changed.has(call.root ?? call)) return error;
  const { log, cause } = error.details;
  return new ServiceError(500, 'Only a part of the change is certain to have been made', {
    ...(log === undefined ? {} : { log }),
    cause,
  });
}
