/** An outbox under test: what is stored is sent when the test asks for it, and without pauses. */
import { Delivery } from '../outbox/delivery.js';
import type { Outgoing } from '../outbox/outbox.js';
import type { Claimed, OutboxStore } from '../outbox/store.js';
import type { RestDatasource } from '../rest/rest.js';
import { TracedOutbox } from '../trace/traced-outbox.js';

/** Declares the outbox of these datasources. */
export function testedOutbox(all: readonly Outgoing[]): TestedOutbox {
  return new TestedOutbox(all);
}

export class TestedOutbox extends TracedOutbox {
  /** Sends everything that is due, also what is sent again. */
  async deliver(): Promise<void> {
    for (const delivery of this.deliveries) if (delivery instanceof TestedDelivery) await delivery.deliver();
  }

  protected override deliveryOf(datasource: RestDatasource, store: OutboxStore): Delivery {
    return new TestedDelivery(datasource, store);
  }
}

/** Attempts of one request in a test. */
const maxAttempts = 5;

class TestedDelivery extends Delivery {
  override wake(): void {
    // The test says when.
  }

  /** One after the other, so that the order of requests to third parties is the same in every run. */
  async deliver(): Promise<void> {
    for (;;) {
      const { requests, hasMore } = await this.store.claim(this.datasource.name, this.leaseTime);
      for (const request of requests) await this.sendNow(request);
      if (requests.length === 0 && !(await hasMore())) return;
    }
  }

  protected override pauseOf({ attempts }: Claimed, pause: number): number {
    return attempts < maxAttempts ? 0 : pause;
  }
}
