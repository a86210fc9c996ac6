/** A transaction that stores requests immediately before its commit, and triggers sending them afterwards. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import type { Query } from '../sql/driver.js';
import type { OwnStatement, TransactionPart } from '../transactions/datasource-transaction.js';
import type { OutboxStore } from './store.js';
import type { StoredRequest } from './stored-request.js';

/** Maximum number of requests, and their characters, stored by one statement; limits the memory of loops. */
const maxRequests = 1000;
const maxCharacters = 1024 * 1024;

/** Sends stored requests. */
interface Sender {
  wake(): void;
}

/** Requests are stored last, so that the locks of their keys are only held during the commit. */
export class StoringTransaction implements TransactionPart {
  readonly datasource: string;
  private requests: StoredRequest[] = [];
  private characters = 0;
  private lastCall: Call | undefined;
  private readonly senders = new Set<Sender>();

  constructor(
    private readonly inner: TransactionPart,
    private readonly store: OutboxStore,
  ) {
    this.datasource = inner.datasource;
  }

  async add(call: Call, request: StoredRequest, sender: Sender): Promise<void> {
    this.lastCall = call;
    this.requests.push(request);
    this.characters += request.url.length + request.header.length + (request.content?.length ?? 0);
    this.senders.add(sender);
    if (this.requests.length >= maxRequests || this.characters >= maxCharacters) await this.flush();
  }

  run(query: Query, call: Call, tentative: boolean): Promise<Row[]> {
    return this.inner.run(query, call, tentative);
  }

  runAhead(queries: Iterable<Query>, call: Call): Promise<readonly PromiseSettledResult<Row[]>[]> {
    return this.inner.runAhead(queries, call);
  }

  own<Result>(call: Call, run: OwnStatement<Result>, tentative: boolean): Promise<Result> {
    return this.inner.own(call, run, tentative);
  }

  async commit(deadline: number): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      await this.inner.rollback();
      throw error;
    }
    try {
      await this.inner.commit(deadline);
    } finally {
      // Wakes the senders even if the outcome is unknown: without a commit, there are no rows to send.
      for (const sender of this.senders) sender.wake();
    }
  }

  rollback(): Promise<void> {
    return this.inner.rollback();
  }

  private async flush(): Promise<void> {
    const { requests, lastCall } = this;
    if (lastCall === undefined || requests.length === 0) return;
    this.requests = [];
    this.characters = 0;
    await this.store.store(lastCall, requests);
  }
}
