/** Collects statuses with their reasons. */
import type { ExplainedStatus } from './explained.js';

type Reason = ExplainedStatus['reasons'][number];

/** Reasons by status; a reason shared by several fulfillments is listed once with their names. */
export class Statuses {
  readonly #reasons = new Map<number, Map<string, Found>>();

  /** `invalid` is the status for an invalid request. */
  constructor(private readonly invalid: 400 | 422 = 400) {}

  /** Adds a status sent by the service itself. `fulfillment` is the one that causes it, if any. */
  service(status: number, text: string, fulfillment?: string): void {
    this.add(status === 400 ? this.invalid : status, 'service', text, fulfillment);
  }

  add(status: number, from: Reason['from'], text: string, fulfillment?: string): void {
    const reasons = this.#reasons.get(status) ?? new Map<string, Found>();
    this.#reasons.set(status, reasons);
    const found = reasons.get(text) ?? { from, fulfillments: new Set<string>() };
    reasons.set(text, found);
    if (fulfillment !== undefined) found.fulfillments.add(fulfillment);
  }

  inOrder(): ExplainedStatus[] {
    return [...this.#reasons]
      .sort(([a], [b]) => a - b)
      .map(([status, reasons]) => ({
        status,
        reasons: [...reasons].map(([text, { from, fulfillments }]) => ({
          ...{ from, text },
          fulfillments: [...fulfillments],
        })),
      }));
  }
}

interface Found {
  readonly from: Reason['from'];
  readonly fulfillments: Set<string>;
}
