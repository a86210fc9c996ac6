/** The outbox of a service: requests that are stored in a transaction, and sent after its commit. */
import type { Call } from '../handler/call.js';
import type { RestDatasource } from '../rest/rest.js';
import { DatasourceTransaction } from '../transactions/datasource-transaction.js';
import { SharedTransaction } from '../transactions/transaction.js';
import { Delivery } from './delivery.js';
import { OutboxStore, type OutboxDatabase } from './store.js';
import { storedRequest, type OutboxMessage, type RequestNames } from './stored-request.js';
import { StoringTransaction } from './storing-transaction.js';

/** A REST datasource whose requests may be sent after a commit. */
export interface Outgoing {
  readonly datasource: RestDatasource;
  /** The database in which requests are stored. */
  readonly database: OutboxDatabase;
  /** The role used by the statements of the database, if any. */
  readonly role?: string;
}

/** The configuration of a request, without the values of a call. */
export interface OutboxRequest extends Omit<RequestNames, 'datasource'> {
  readonly datasource: RestDatasource;
}

/**
 * Stores a request in the transaction of the call. Throws a ServiceError: 400 for values that cannot be sent, or an error of the
 * statement.
 */
export type StoreRequest = (call: Call, message: OutboxMessage) => Promise<void>;

/** Declares the outbox. It does not connect until it is prepared. */
export function createOutbox(all: readonly Outgoing[]): Outbox {
  return new Outbox(all);
}

export class Outbox {
  readonly stores: readonly OutboxStore[];
  readonly deliveries: readonly Delivery[];
  private readonly parts: ReadonlyMap<RestDatasource, Part>;

  constructor(all: readonly Outgoing[]) {
    const stores = new Map<OutboxDatabase, OutboxStore>();
    this.parts = new Map(
      all.map(({ datasource, database, role }) => {
        const store = stores.get(database) ?? new OutboxStore(database, role);
        stores.set(database, store);
        return [datasource, { database, store, delivery: this.deliveryOf(datasource, store) }];
      }),
    );
    this.stores = [...stores.values()];
    this.deliveries = [...this.parts.values()].map(({ delivery }) => delivery);
  }

  request({ datasource, ...names }: OutboxRequest): StoreRequest {
    const part = this.parts.get(datasource);
    if (part === undefined) throw new Error(`'${datasource.name}' has no outbox`);
    return async (call, message) => {
      call.proceed();
      const request = await storedRequest(call, { ...names, datasource: datasource.name }, message);
      await transactionOf(call, part).add(call, request, part.delivery);
    };
  }

  protected deliveryOf(datasource: RestDatasource, store: OutboxStore): Delivery {
    return new Delivery(datasource, store);
  }
}

interface Part {
  readonly database: OutboxDatabase;
  readonly store: OutboxStore;
  readonly delivery: Delivery;
}

/** The part of the call's transaction on the database. From the first request on, it stores requests before it commits. */
function transactionOf(call: Call, { database, store }: Part): StoringTransaction {
  const { transaction } = call;
  if (!(transaction instanceof SharedTransaction))
    throw new Error('a request is stored outside of a transaction');
  const opened = database.use();
  const part = transaction.parts.get(opened);
  if (part instanceof StoringTransaction) return part;
  const storing = new StoringTransaction(part ?? new DatasourceTransaction(opened), store);
  transaction.parts.set(opened, storing);
  return storing;
}
