/** NOW: one timestamp for the whole call. */
import type { Call } from '../handler/call.js';

/** Replaced by `apikiln test`, so that a test knows the time. */
export const clock = { now: (): Date => new Date() };

const timestamps = new WeakMap<Call, string>();

/** The time at which the call first asked for it, in UTC: `2026-01-31T12:00:00.000Z`. Called operations have that of their caller. */
export function now(call: Call): string {
  const root = call.root ?? call;
  const known = timestamps.get(root);
  if (known !== undefined) return known;
  const timestamp = clock.now().toISOString();
  timestamps.set(root, timestamp);
  return timestamp;
}
