/** An outbox that records stored requests in traces, and logs sent requests. */
import type { Outcome } from '../outbox/outcome.js';
import { Delivery, wordsOf, type Receiver } from '../outbox/delivery.js';
import {
  Outbox,
  type OutboxCall,
  type OutboxMail,
  type OutboxOptions,
  type OutboxRequest,
  type Outgoing,
  type StoreRequest,
} from '../outbox/outbox.js';
import type { Claimed, OutboxStore } from '../outbox/store.js';
import { callMethod } from '../outbox/stored-request.js';
import type { StoreCall } from '../outbox/stored-call.js';
import type { SendMail } from '../smtp/smtp.js';
import { currentScope, outsideTraces } from './recording.js';
import type { MessageStep, ReferenceStep, RequestStep } from './steps.js';

/** A request with its URL for the trace: as configured with placeholders, without the query. */
export interface TracedOutboxRequest extends OutboxRequest {
  readonly url: string;
}

/** Declares the outbox for these datasources. */
export function tracedOutbox(all: readonly Outgoing[], options?: OutboxOptions): TracedOutbox {
  return new TracedOutbox(all, options);
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

  override message(definition: OutboxMail): SendMail {
    const store = super.message(definition);
    const { fulfillment, datasource } = definition;
    return async (call, mail) => {
      const scope = currentScope();
      if (scope === undefined) return store(call, mail);
      const step: MessageStep = { kind: 'message', fulfillment, datasource: datasource.name };
      await scope.timed(step, () => store(call, mail));
      step.status = 'after the commit';
    };
  }

  override call(definition: OutboxCall): StoreCall {
    const store = super.call(definition);
    const { fulfillment, calls } = definition;
    return async (call, passed) => {
      const scope = currentScope();
      if (scope === undefined) return store(call, passed);
      const step: ReferenceStep = {
        kind: 'reference',
        fulfillment,
        operation: calls,
        steps: [],
        isDeferred: true,
      };
      await scope.timed(step, () => store(call, passed));
    };
  }

  protected override deliveryOf(receiver: Receiver, store: OutboxStore): Delivery {
    return new TracedDelivery(receiver, store, this.cipher);
  }
}

/** Deliveries are not recorded as steps of the call that stored the request, because the call does not wait for them. */
class TracedDelivery extends Delivery {
  /** Configured URLs by operation and fulfillment. */
  readonly urls = new Map<string, string>();

  protected override async attempt(request: Claimed): Promise<Outcome> {
    const outcome = await outsideTraces(() => super.attempt(request));
    if (outcome.state !== 'sent' && outcome.state !== 'marked') return outcome;
    const { operation, fulfillment, method } = request;
    const url = this.urls.get(placeOf(request));
    const { noun, repeated } = wordsOf(request);
    const sent =
      outcome.state === 'sent' && method !== callMethod ? { method, url, status: outcome.status } : {};
    this.log?.info(
      this.labels({ operation, fulfillment, ...sent }),
      'unsent' in outcome
        ? `a ${noun} of the outbox was not sent: ${outcome.unsent ?? ''}`
        : `a ${noun} of the outbox was ${repeated}`,
    );
    return outcome;
  }
}

function placeOf({ operation, fulfillment }: Pick<Claimed, 'operation' | 'fulfillment'>): string {
  return JSON.stringify([operation, fulfillment]);
}
