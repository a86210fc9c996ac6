/** `retry`: resends a request after a transient status or failure, with a pause before each attempt. */
import { setTimeout as delay } from 'node:timers/promises';
import { RequestFailure, type FailureKind } from './failure.js';
import type { Incoming } from './http-exchange.js';
import { headerIn } from './message.js';
import type { Retry, Tries } from './rest.js';
import { retryDefaults } from './retry-defaults.js';

/** The `retry` property of a request or its datasource. */
export interface RetryRule {
  /** Maximum number of retries. */
  readonly times: number;
  /** The statuses and failures that cause a retry. */
  readonly on?: readonly (number | FailureKind)[];
  /** Seconds: the maximum first pause, which doubles with each attempt. */
  readonly wait?: number;
  /** Seconds: if the API asks for a longer pause, the request is not retried. */
  readonly maxWait?: number;
}

/** Retries requests that may be sent twice. Other requests are only retried if nothing was sent. The result of the last attempt counts. */
export function retry(rule: RetryRule): Retry {
  const { times, on, wait, maxWait } = { ...retryDefaults, ...rule };
  const isRetried = new Set<number | FailureKind>(on);
  return async (tries) => {
    for (let count = 0; ; count += 1) {
      const result = await resultOf(tries);
      const reason = result instanceof RequestFailure ? result.kind : result.status;
      if (isRetried.has(reason)) {
        const seconds = retryAfter(result) ?? Math.random() * Math.min(wait * 2 ** count, maxWait);
        const end =
          count >= times
            ? `retry.times is ${times}`
            : !isRepeatable(tries, result)
              ? `a ${tries.outgoing.method} may have had an effect`
              : seconds > maxWait
                ? `the API asks for ${Math.ceil(seconds)} s`
                : await endOfPause(tries, seconds * 1000);
        if (end === undefined) continue;
        tries.ended(end);
      }
      if (result instanceof RequestFailure) throw result;
      return result;
    }
  };
}

async function resultOf(tries: Tries): Promise<Incoming | RequestFailure> {
  try {
    return await tries.send();
  } catch (error) {
    if (error instanceof RequestFailure) return error;
    throw error;
  }
}

function isRepeatable({ isRepeatable, outgoing }: Tries, result: Incoming | RequestFailure): boolean {
  if (isRepeatable || (result instanceof RequestFailure && result.isUnsent)) return true;
  return headerIn(outgoing.headers, 'idempotency-key') !== undefined;
}

/** The number of seconds requested by the API; undefined if missing. */
export function retryAfter(result: Pick<Incoming, 'headers'> | RequestFailure): number | undefined {
  if (result instanceof RequestFailure) return result.retryAfter;
  const value = result.headers['retry-after']?.trim();
  if (value === undefined) return undefined;
  // RFC 9110 allows only whole seconds, but some APIs send fractions.
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value);
  // One of the three date forms (RFC 9110, section 5.6.7) omits the time zone.
  const time = /^[A-Z][a-z]{2,8},? /.test(value)
    ? Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
    : NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, (time - Date.now()) / 1000);
}

/** Milliseconds between checks of whether a pause is still useful. */
const glance = 200;

/**
 * Waits, then returns undefined. Returns a reason without waiting if the call would end first or the service is stopping. Throws if the
 * call ends during the pause.
 */
async function endOfPause(
  { call, pause, isStopping }: Tries,
  milliseconds: number,
): Promise<string | undefined> {
  // A replaced pause takes no time, but must not change whether there is another attempt.
  const left = call.deadline - performance.now();
  if (isStopping()) return stopping;
  if ((pause === undefined ? milliseconds : 0) >= left) return noTime;
  if (pause !== undefined) return (await pause(milliseconds, left)) ? undefined : noTime;
  const end = performance.now() + milliseconds;
  for (let rest = milliseconds; rest > 0; rest = end - performance.now()) {
    await delay(Math.min(rest, glance), undefined, { signal: call.signal }).catch(() => undefined);
    call.proceed();
    if (isStopping()) return stopping;
  }
  return undefined;
}

const stopping = 'the service is stopping';
const noTime = 'the call would end during the pause';
