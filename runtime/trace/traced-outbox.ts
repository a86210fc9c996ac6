/** An outbox that records in traces what it stores. */
import { Outbox, type Outgoing, type OutboxRequest, type StoreRequest } from '../outbox/outbox.js';
import { currentScope } from './recording.js';
import type { RequestStep } from './steps.js';

/** A request, and its URL for the trace: as configured, with its placeholders, without the query. */
export interface TracedOutboxRequest extends OutboxRequest {
  readonly url: string;
}

/** Declares the outbox of these datasources. */
export function tracedOutbox(all: readonly Outgoing[]): TracedOutbox {
  return new TracedOutbox(all);
}

export class TracedOutbox extends Outbox {
  override request({ url, ...request }: TracedOutboxRequest): StoreRequest {
    const store = super.request(request);
    const { fulfillment, method, datasource } = request;
    return async (call, message) => {
      const scope = currentScope();
      if (scope === undefined) return store(call, message);
      const step: RequestStep = { kind: 'request', fulfillment, datasource: datasource.name, method, url };
      await scope.timed(step, () => store(call, message));
      step.status = 'after the commit';
    };
  }
}
