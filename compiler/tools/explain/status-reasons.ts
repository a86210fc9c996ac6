/** Statuses with their reasons, as they are collected. */
import type { ExplainedStatus } from './explained.js';

type Reason = ExplainedStatus['reasons'][number];

/** By status; a reason that several fulfillments have is there once, with their names. */
export class Statuses {
  readonly #reasons = new Map<number, Map<string, Found>>();

  /** `invalid`: the status of an invalid request. */
  constructor(private readonly invalid: 400 | 422 = 400) {}

  /** A status of the service itself. `fulfillment`: where, if it is in one. */
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
