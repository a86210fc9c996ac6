/** Runs an operation without a request: by a timer, or by `run <operation>`. */
import type { Call } from '../handler/call.js';
import { describeFailure, type Log } from '../server/log.js';
import type { Json } from '../handler/json.js';
import { isFailure, ServiceError } from '../handler/reply.js';

/** Runs an operation. Its response is discarded. */
export type TimedHandler = (call: Call) => unknown;

/** The log fields of a run: operation, trigger, tick. */
export type RunLabels = Readonly<Record<string, string>>;

/** A call without a request: expressions that read the request are null. `timeout` is in milliseconds; 0 means unlimited. */
export function timedCall(timeout: number): Call {
  const deadline = timeout === 0 ? Infinity : performance.now() + timeout;
  return {
    param: (): Json => null,
    header: () => null,
    query: () => null,
    cookie: () => null,
    caller: null,
    file: () => null,
    files: () => [],
    body: null,
    deadline,
    proceed() {
      if (performance.now() > deadline) throw new ServiceError(504, 'The operation took too long');
    },
  };
}

/** Runs the operation and logs its outcome; returns true on success. Never fails. */
export async function runTimed(
  handler: TimedHandler,
  labels: RunLabels,
  { log, timeout }: { readonly log: Log; readonly timeout: number },
): Promise<boolean> {
  const start = performance.now();
  const entry = () => ({ ...labels, milliseconds: Math.round(performance.now() - start) });
  try {
    await handler(timedCall(timeout));
    log.info(entry(), 'timed operation ended');
    return true;
  } catch (error) {
    if (isFailure(error)) {
      const { status, message } = error;
      log.warn({ ...entry(), status, message }, 'timed operation: an exception fired');
      return false;
    }
    const failure = describeFailure(error);
    // There is no client to report to, so rejected values are also logged as warnings.
    const level = failure.status === 503 || failure.status < 500 ? 'warn' : 'error';
    log[level]({ ...entry(), ...failure }, 'timed operation failed');
    return false;
  }
}
