/** An outbox that records stored requests in traces, and logs sent requests. */
import type { Outcome } from '../outbox/attempt.js';
import { Delivery } from '../outbox/delivery.js';
import { Outbox, type Outgoing, type OutboxRequest, type StoreRequest } from '../outbox/outbox.js';
import type { Claimed, OutboxStore } from '../outbox/store.js';
import type { RestDatasource } from '../rest/rest.js';
import { currentScope, outsideTraces } from './recording.js';
import type { RequestStep } from './steps.js';

/** A request with its URL for the trace: as configured with placeholders, without the query. */
export interface TracedOutboxRequest extends OutboxRequest {
  readonly url: string;
}

/** Declares the outbox for these datasources. */
export function tracedOutbox(all: readonly Outgoing[]): TracedOutbox {
  return new TracedOutbox(all);
}

export class TracedOutbox extends Outbox {
  override request({ url, ...request }: TracedOutboxRequest): StoreRequest {
    const store = super.request(request);
    const { operation, fulfillment, method, datasource } = request;
    for (const delivery of this.deliveries)
      if (delivery instanceof TracedDelivery) delivery.urls.set(placeOf({ operation, fulfillment }), url);
    return async (call, message) => {
      const scope = currentScope();
      if (scope === undefined) return store(call, message);
      const step: RequestStep = { kind: 'request', fulfillment, datasource: datasource.name, method, url };
      await scope.timed(step, () => store(call, message));
      step.status = 'after the commit';
    };
  }

  protected override deliveryOf(datasource: RestDatasource, store: OutboxStore): Delivery {
    return new TracedDelivery(datasource, store);
  }
}

/** Deliveries are not recorded as steps of the call that stored the request, because the call does not wait for them. */
class TracedDelivery extends Delivery {
  /** Configured URLs by operation and fulfillment. */
  readonly urls = new Map<string, string>();

  protected override async attempt(request: Claimed): Promise<Outcome> {
    const outcome = await outsideTraces(() => super.attempt(request));
    if (outcome.state !== 'sent') return outcome;
    const { operation, fulfillment, method } = request;
    const url = this.urls.get(placeOf(request));
    const { status } = outcome;
    const entry = this.labels({ operation, fulfillment, method, url, status });
    this.log?.info(entry, 'a request of the outbox was sent');
    return outcome;
  }
}

function placeOf({ operation, fulfillment }: Pick<Claimed, 'operation' | 'fulfillment'>): string {
  return JSON.stringify([operation, fulfillment]);
}
