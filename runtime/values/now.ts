/** NOW: one timestamp for the whole call. */
import type { Call } from '../handler/call.js';
import type { ErrorInfo } from '../handler/reply.js';

/** Replaced by `apikiln test`, so that tests can control the time. */
export const clock = { now: (): Date => new Date() };

const timestamps = new WeakMap<Call | ErrorInfo, string>();

/**
 * The time, in UTC, at which the call first read NOW: `2026-01-31T12:00:00.000Z`. Called operations use the time of their caller. Error
 * bodies outside of calls use the time of the error.
 */
export function now(of: Call | (ErrorInfo & { readonly root?: never })): string {
  const root = of.root ?? of;
  const known = timestamps.get(root);
  if (known !== undefined) return known;
  const timestamp = clock.now().toISOString();
  timestamps.set(root, timestamp);
  return timestamp;
}
