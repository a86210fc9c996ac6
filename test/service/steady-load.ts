/** Writes and reads of many clients for as long as wanted, and what must be true of the rows afterwards. */
import { setTimeout as delay } from 'node:timers/promises';
import { ask } from './services.js';

/** What was answered to the increments of one entry. */
interface Increments {
  acknowledged: number;
  /** 500, 504 or no response: it is unknown whether they were made. */
  unknown: number;
}

export interface SteadyLoad {
  /** How many requests of a kind had a status: `POST 204`. */
  readonly statuses: ReadonlyMap<string, number>;
  /** Milliseconds of the longest time without a write that succeeded. */
  readonly outage: number;
  readonly entries: ReadonlyMap<string, Increments>;
  /** Reads that did not show changes confirmed to their client. */
  readonly wrong: readonly string[];
}

/** Each client has an entry of its own, which it increments and reads in turn until `stop` is called. */
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

  /** `readsOwnWrites`: a read must show the writes before it, as on one server. `pause`: milliseconds after each write. */
  static start(urls: readonly string[], clients: number, readsOwnWrites: boolean, pause = 0): Clients {
    return new Clients(urls, clients, readsOwnWrites, pause);
  }

  async stop(): Promise<SteadyLoad> {
    this.isOver = true;
    await this.running;
    const { statuses, outage, entries, wrong } = this;
    return { statuses, outage, entries, wrong };
  }

  /** How many writes have succeeded. */
  get writes(): number {
    return this.statuses.get('increment 204') ?? 0;
  }

  /** How many requests had a status of 500 or more, or no response. */
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
        // What may have been created before is refused.
        isThere = status === 201 || status === 409;
        continue;
      }
      const { status } = await this.request('increment', url, 'POST', `/entries/${tag}/increments`);
      if (status === 204) counts.acknowledged += 1;
      // 404: a node that does not have the entry yet. Nothing was done, as with 503.
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
    // A client that is refused does not come back at once.
    if (response.status >= 500 || response.status === 0) await delay(50);
    return response;
  }

  private succeeded(): void {
    const now = performance.now();
    this.outage = Math.max(this.outage, now - this.succeededAt);
    this.succeededAt = now;
  }
}

/** The entries whose rows contradict the responses: increments that were acknowledged and are missing, or that were made twice. */
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
