/** The outcomes of an attempt to process a row of the outbox, and the pause before the next attempt. */
import type { Claimed } from './store.js';

export type Outcome =
  /** `status` is that of the response to a request. `unsent` is the reason why there was nothing to do: the mail server has no URL. */
  | { readonly state: 'sent'; readonly status?: number; readonly unsent?: string }
  /** The attempt has recorded in the database that the row is sent. */
  | { readonly state: 'marked' }
  | NotSent;

export interface NotSent {
  readonly state: 'waiting' | 'failed';
  readonly reason: string;
  /** Milliseconds until the next attempt. */
  readonly pause: number;
  /** Further fields for the log. */
  readonly log?: object;
}

const second = 1000;
/** Maximum milliseconds of a pause. Pauses double up to this limit. */
const longestPause = 3600 * second;

/** Statuses after which the same attempt may succeed later, in addition to all 5xx. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/** Whether an attempt with this status may succeed later. */
export function isPassing(status: number): boolean {
  return passing.has(status) || status >= 500;
}

/** An attempt that cannot succeed later. */
export function refused(reason: string): NotSent {
  return { state: 'failed', reason, pause: 0 };
}

/**
 * An attempt that may succeed later. `wished` is the pause requested by the receiver, in milliseconds. The last attempt is made at the end
 * of the available time, not earlier.
 */
export function again(
  { attempts, timeLeft }: Pick<Claimed, 'attempts' | 'timeLeft'>,
  reason: string,
  wished?: number,
): NotSent {
  if (timeLeft <= 0) return refused(reason);
  const longest = Math.min(second * 2 ** (attempts - 1), longestPause);
  const pause = wished ?? longest * (0.5 + Math.random() / 2);
  return { state: 'waiting', reason, pause: Math.min(pause, timeLeft) };
}
