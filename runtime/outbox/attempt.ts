/** Attempts to send a stored request, and decides what to do next. */
import type { RestDatasource } from '../rest/rest.js';
import { retryAfter } from '../rest/retry.js';
import { ServiceError } from '../handler/reply.js';
import { describeError } from '../server/log.js';
import { timedCall } from '../schedule/timed-run.js';
import { again, isPassing, refused, type Outcome } from './outcome.js';
import type { Claimed } from './store.js';
import { messageOf } from './stored-request.js';

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
    return outcomeOf(status, request, seconds === undefined ? undefined : seconds * 1000);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status < 500)
      return refused(`it cannot be sent: ${describeError(error).type}`);
    const { thirdPartyStatus, reason, code } = error.details.log ?? {};
    // There was a response with an unreadable body, which is not needed.
    if (typeof thirdPartyStatus === 'number') return outcomeOf(thirdPartyStatus, request, undefined);
    const text = [reason ?? error.message, code].filter((part) => part !== undefined).join(', ');
    return again(request, text);
  }
}

const once: NonNullable<Parameters<RestDatasource['requestWithStatus']>[0]['retry']> = ({ send }) => send();

function outcomeOf(status: number, request: Claimed, wished: number | undefined): Outcome {
  if (status >= 200 && status < 300) return { state: 'sent', status };
  const reason = `status ${status}`;
  return isPassing(status) ? again(request, reason, wished) : refused(reason);
}
