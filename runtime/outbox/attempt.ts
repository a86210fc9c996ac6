/** Attempts to send a stored request, and decides what to do next. */
import type { RestDatasource } from '../rest/rest.js';
import { retryAfter } from '../rest/retry.js';
import { ServiceError } from '../handler/reply.js';
import { describeError } from '../server/log.js';
import { timedCall } from '../schedule/timed-run.js';
import type { Claimed } from './store.js';
import { messageOf } from './stored-request.js';

export type Outcome =
  | { readonly state: 'sent'; readonly status: number }
  /** `pause` is in milliseconds. */
  | { readonly state: 'waiting' | 'failed'; readonly reason: string; readonly pause: number };

const second = 1000;
/** Maximum milliseconds of a pause. Pauses double up to this limit. */
const longestPause = 3600 * second;

/** Statuses after which the same request may succeed later, in addition to all 5xx. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/** Sends the request within the given milliseconds. Never fails. */
export async function attempt(
  request: Claimed,
  datasource: RestDatasource,
  timeLimit: number,
): Promise<Outcome> {
  const { operation, fulfillment, method } = request;
  // Retries are left to the outbox, whose pauses survive the process.
  const definition = { operation, fulfillment, method, resend: false as const, retry: once };
  try {
    const { status, headers } = await datasource.requestWithStatus(definition)(
      timedCall(timeLimit),
      messageOf(request),
    );
    const seconds = retryAfter({ headers });
    return outcomeOf(status, request, seconds === undefined ? undefined : seconds * second);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status < 500)
      return { state: 'failed', reason: `it cannot be sent: ${describeError(error).type}`, pause: 0 };
    const { thirdPartyStatus, reason, code } = error.details.log ?? {};
    // There was a response with an unreadable body, which is not needed.
    if (typeof thirdPartyStatus === 'number') return outcomeOf(thirdPartyStatus, request, undefined);
    const text = [reason ?? error.message, code].filter((part) => part !== undefined).join(', ');
    return again(request, text, undefined);
  }
}

const once: NonNullable<Parameters<RestDatasource['requestWithStatus']>[0]['retry']> = ({ send }) => send();

function outcomeOf(status: number, request: Claimed, wished: number | undefined): Outcome {
  if (status >= 200 && status < 300) return { state: 'sent', status };
  const reason = `status ${status}`;
  if (passing.has(status) || status >= 500) return again(request, reason, wished);
  return { state: 'failed', reason, pause: 0 };
}

/** `wished` is the pause requested by the receiver. The last attempt is made at the end of the available time, not earlier. */
function again({ attempts, timeLeft }: Claimed, reason: string, wished: number | undefined): Outcome {
  if (timeLeft <= 0) return { state: 'failed', reason, pause: 0 };
  const longest = Math.min(second * 2 ** (attempts - 1), longestPause);
  const pause = wished ?? longest * (0.5 + Math.random() / 2);
  return { state: 'waiting', reason, pause: Math.min(pause, timeLeft) };
}
