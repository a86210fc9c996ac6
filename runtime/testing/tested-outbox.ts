/** An outbox under test: stored requests are sent when the test asks for it, without pauses. */
import { Delivery } from '../outbox/delivery.js';
import type { Outgoing } from '../outbox/outbox.js';
import type { Claimed, OutboxStore } from '../outbox/store.js';
import type { RestDatasource } from '../rest/rest.js';
import { TracedOutbox } from '../trace/traced-outbox.js';

/** Declares the outbox for these datasources. */
export function testedOutbox(all: readonly Outgoing[]): TestedOutbox {
  return new TestedOutbox(all);
}

export class TestedOutbox extends TracedOutbox {
  /** Sends all due requests, and retries failed ones. */
  async deliver(): Promise<void> {
    for (const delivery of this.deliveries) if (delivery instanceof TestedDelivery) await delivery.deliver();
  }

  protected override deliveryOf(datasource: RestDatasource, store: OutboxStore): Delivery {
    return new TestedDelivery(datasource, store);
  }
}

/** Maximum number of attempts for a request in a test. */
const maxAttempts = 5;

class TestedDelivery extends Delivery {
  override wake(): void {
    // Deliveries only start when the test asks for them.
  }

  /** Sends requests one after another, so that third parties receive them in the same order in every run. */
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
