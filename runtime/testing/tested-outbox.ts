/** An outbox under test: stored requests are sent when the test asks for it, without pauses. */
import { Delivery, type Receiver } from '../outbox/delivery.js';
import type { OutboxOptions, Outgoing } from '../outbox/outbox.js';
import type { Claimed, OutboxStore } from '../outbox/store.js';
import { TracedOutbox } from '../trace/traced-outbox.js';

/** Declares the outbox for these datasources. */
export function testedOutbox(all: readonly Outgoing[], options?: OutboxOptions): TestedOutbox {
  return new TestedOutbox(all, options);
}

export class TestedOutbox extends TracedOutbox {
  /** Sends all due requests, and retries failed ones. */
  async deliver(): Promise<void> {
    // Calls may store further requests and calls.
    for (let isOver = false; !isOver;) {
      isOver = true;
      for (const delivery of this.deliveries)
        if (delivery instanceof TestedDelivery && (await delivery.deliver())) isOver = false;
    }
  }

  protected override deliveryOf(receiver: Receiver, store: OutboxStore): Delivery {
    return new TestedDelivery(receiver, store, this.cipher);
  }
}

/** Maximum number of attempts for a request in a test. */
const maxAttempts = 5;

class TestedDelivery extends Delivery {
  override wake(): void {
    // Deliveries only start when the test asks for them.
  }

  /** Sends requests one after another, so that third parties receive them in the same order in every run. Returns whether there were any. */
  async deliver(): Promise<boolean> {
    for (let isAny = false; ;) {
      const { requests, hasMore } = await this.store.claim(this.receiver.name, this.leaseTime);
      for (const request of requests) await this.sendNow(request);
      if (requests.length === 0 && !(await hasMore())) return isAny;
      isAny = true;
    }
  }

  protected override pauseOf({ attempts }: Claimed, pause: number): number {
    return attempts < maxAttempts ? 0 : pause;
  }
}
