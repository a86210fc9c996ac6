/** The log of the service, for functions without a log parameter. */
import type { Log } from './log.js';

let current: Log | undefined;

/** Called once, when the service starts. */
export function setServiceLog(log: Log): void {
  current = log;
}

/** Undefined before the start. */
export function serviceLog(): Log | undefined {
  return current;
}
