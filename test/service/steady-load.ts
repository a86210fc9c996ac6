/** Writes and reads by many clients for any duration, and checks of the rows afterwards. */
import { setTimeout as delay } from 'node:timers/promises';
import { ask } from './services.js';

/** The results of the increments of one entry. */
interface Increments {
  acknowledged: number;
  /** 500, 504 or no response: the outcome is unknown. */
  unknown: number;
}

export interface SteadyLoad {
  /** The number of requests by kind and status, such as `POST 204`. */
  readonly statuses: ReadonlyMap<string, number>;
  /** The longest time without a successful write, in milliseconds. */
  readonly outage: number;
  readonly entries: ReadonlyMap<string, Increments>;
  /** Reads that did not show changes confirmed to the same client. */
  readonly wrong: readonly string[];
}

/** Each client increments and reads its own entry in turn until `stop` is called. */
export class Clients {
  private readonly statuses = new Map<string, number>();
  private readonly entries = new Map<string, Increments>();
  private readonly wrong: string[] = [];
  private isOver = false;
  private outage = 0;
  private succeededAt = performance.now();
  private readonly running: Promise<unknown>;

  private constructor(
    private readonly urls: readonly string[],
    clients: number,
    private readonly readsOwnWrites: boolean,
    private readonly pause: number,
  ) {
    this.running = Promise.all(Array.from({ length: clients }, (_, index) => this.play(index)));
  }

  /** `readsOwnWrites`: a read must show all earlier writes, as on a single server. `pause`: milliseconds after each write. */
  static start(urls: readonly string[], clients: number, readsOwnWrites: boolean, pause = 0): Clients {
    return new Clients(urls, clients, readsOwnWrites, pause);
  }

  async stop(): Promise<SteadyLoad> {
    this.isOver = true;
    await this.running;
    const { statuses, outage, entries, wrong } = this;
    return { statuses, outage, entries, wrong };
  }

  /** The number of successful writes. */
  get writes(): number {
    return this.statuses.get('increment 204') ?? 0;
  }

  /** The number of requests with status 500 or above, or without a response. */
  get failures(): number {
    const failed = [...this.statuses].filter(([key]) => / (?:0|5\d\d)$/.test(key));
    return failed.reduce((sum, [, count]) => sum + count, 0);
  }

  private async play(index: number): Promise<void> {
    const url = this.urls[index % this.urls.length] ?? '';
    const tag = `client-${index}`;
    const counts = { acknowledged: 0, unknown: 0 };
    this.entries.set(tag, counts);
    let isThere = false;
    while (!this.isOver) {
      if (!isThere) {
        const { status } = await this.request('create', url, 'POST', '/entries', { tag, amount: 0 });
        // 409: an earlier attempt has created the entry.
        isThere = status === 201 || status === 409;
        continue;
      }
      const { status } = await this.request('increment', url, 'POST', `/entries/${tag}/increments`);
      if (status === 204) counts.acknowledged += 1;
      // 404: the node does not have the entry yet. Like with 503, nothing was done.
      else if (status !== 503 && status !== 404) counts.unknown += 1;
      if (status === 204) this.succeeded();
      if (this.pause > 0) await delay(this.pause);
      const read = await this.request('read', url, 'GET', `/entries/${tag}`);
      if (read.status !== 200) continue;
      const { amount } = read.body as { amount: number };
      const least = this.readsOwnWrites ? counts.acknowledged : 0;
      if (amount < least || amount > counts.acknowledged + counts.unknown)
        this.wrong.push(`${tag}: ${amount}, and ${counts.acknowledged} + ${counts.unknown} were written`);
    }
  }

  private async request(what: string, url: string, method: string, path: string, body?: object) {
    const response = await ask(url, method, path, body);
    const key = `${what} ${response.status}`;
    this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1);
    // A refused client waits before it tries again.
    if (response.status >= 500 || response.status === 0) await delay(50);
    return response;
  }

  private succeeded(): void {
    const now = performance.now();
    this.outage = Math.max(this.outage, now - this.succeededAt);
    this.succeededAt = now;
  }
}

/** Entries whose rows contradict the responses: acknowledged increments are missing, or increments were made twice. */
export function contradictions(
  { entries }: SteadyLoad,
  rows: readonly { readonly [field: string]: unknown }[],
): string[] {
  const amounts = new Map(rows.map(({ tag, amount }) => [String(tag), Number(amount)]));
  return [...entries].flatMap(([tag, { acknowledged, unknown }]) => {
    const amount = amounts.get(tag) ?? 0;
    return amount >= acknowledged && amount <= acknowledged + unknown
      ? []
      : [`${tag}: ${amount} in the database; ${acknowledged} acknowledged, ${unknown} unknown`];
  });
}
