/** The outbox of a service: requests and calls that are stored in a transaction, and made after its commit. */
import { randomUUID } from 'node:crypto';
import type { Call } from '../handler/call.js';
import type { RestDatasource } from '../rest/rest.js';
import type { Mail } from '../smtp/mail.js';
import type { SendMail } from '../smtp/smtp.js';
import { DatasourceTransaction } from '../transactions/datasource-transaction.js';
import { SharedTransaction } from '../transactions/transaction.js';
import { attempt } from './attempt.js';
import { CallReceiver } from './call-receiver.js';
import { Delivery, type Receiver } from './delivery.js';
import { RowCipher } from './row-cipher.js';
import { storedCall, type CallDefinition, type StoreCall } from './stored-call.js';
import { OutboxStore, type OutboxDatabase } from './store.js';
import {
  messageMethod,
  storedRequest,
  type OutboxMessage,
  type RequestNames,
  type StoredRequest,
} from './stored-request.js';
import { StoringTransaction } from './storing-transaction.js';

/** A datasource whose requests may be sent after a commit, or the calls of operations after a commit. */
export type Outgoing = ({ readonly datasource: RestDatasource | Receiver } | { readonly calls: true }) & {
  /** The database in which they are stored. */
  readonly database: OutboxDatabase;
  /** The role used by the statements of the database, if any. */
  readonly role?: string;
};

export interface OutboxOptions {
  /** Whether requests or calls are stored encrypted, with the setting OUTBOX_KEY. */
  readonly isSealed?: boolean;
}

/** The configuration of a request, without the values of a call. */
export interface OutboxRequest extends Omit<RequestNames, 'datasource'> {
  readonly datasource: RestDatasource;
  /** Whether the request is stored encrypted. */
  readonly sealed?: true;
}

/** The configuration of a call, without the values of a call. */
export interface OutboxCall extends CallDefinition {
  readonly database: OutboxDatabase;
}

/**
 * Stores a request in the transaction of the call. Throws a ServiceError: 400 for values that cannot be sent, or an error of the
 * statement.
 */
export type StoreRequest = (call: Call, message: OutboxMessage) => Promise<void>;

/** A mail server whose mails may be sent after a commit. */
export interface MailReceiver extends Receiver {
  /** The stored forms of a mail. Throws a ServiceError 400 for values that no mail can have. */
  contentsOf(mail: Mail): readonly string[];
}

/** The configuration of a mail, without the values of a call. */
export interface OutboxMail extends Omit<RequestNames, 'datasource' | 'method'> {
  readonly datasource: MailReceiver;
  /** Whether the mail is stored encrypted. */
  readonly sealed?: true;
}

/** Declares the outbox. It does not connect until it is prepared. */
export function createOutbox(all: readonly Outgoing[], options?: OutboxOptions): Outbox {
  return new Outbox(all, options);
}

export class Outbox {
  readonly stores: readonly OutboxStore[];
  readonly deliveries: readonly Delivery[];
  /** Its settings are read when the service starts. */
  readonly cipher: RowCipher;
  /** The receivers that make stored calls. */
  readonly calls: readonly CallReceiver[];
  /** By datasource; for calls, by the database in which they are stored. */
  private readonly parts: ReadonlyMap<object, Part>;

  constructor(all: readonly Outgoing[], { isSealed = false }: OutboxOptions = {}) {
    this.cipher = new RowCipher(isSealed);
    const stores = new Map<OutboxDatabase, OutboxStore>();
    const calls: CallReceiver[] = [];
    this.parts = new Map<object, Part>(
      all.map(({ database, role, ...outgoing }): [object, Part] => {
        const store = stores.get(database) ?? new OutboxStore(database, role);
        stores.set(database, store);
        if ('datasource' in outgoing) {
          const { datasource } = outgoing;
          return [datasource, { database, store, delivery: this.deliveryOf(receiverOf(datasource), store) }];
        }
        const receiver = new CallReceiver(store);
        calls.push(receiver);
        return [database, { database, store, delivery: this.deliveryOf(receiver, store) }];
      }),
    );
    this.calls = calls;
    this.stores = [...stores.values()];
    this.deliveries = [...this.parts.values()].map(({ delivery }) => delivery);
  }

  request({ datasource, sealed, ...names }: OutboxRequest): StoreRequest {
    const part = this.partOf(datasource);
    return async (call, message) => {
      call.proceed();
      const request = await storedRequest(call, { ...names, datasource: datasource.name }, message);
      await this.store(call, part, request, sealed);
    };
  }

  /** A mail that is sent after the commit. */
  message({ datasource, sealed, ...names }: OutboxMail): SendMail {
    const part = this.partOf(datasource);
    const common = { ...names, datasource: datasource.name, method: messageMethod, orderKey: null };
    return async (call, mail) => {
      call.proceed();
      for (const content of datasource.contentsOf(mail)) {
        const row = { id: randomUUID(), ...common, url: '', header: '{}', content };
        await this.store(call, part, row, sealed);
      }
    };
  }

  /** A call of an operation after the commit. */
  call({ database, ...definition }: OutboxCall): StoreCall {
    const part = this.partOf(database);
    return async (call, passed = {}) => {
      call.proceed();
      const row = storedCall(call, database.name, definition, passed);
      await this.store(call, part, row, definition.sealed);
    };
  }

  protected partOf(datasource: { readonly name: string }): Part {
    const part = this.parts.get(datasource);
    if (part === undefined) throw new Error(`'${datasource.name}' has no outbox`);
    return part;
  }

  /** Stores the row in the transaction of the call. */
  protected async store(call: Call, part: Part, row: StoredRequest, isSealed = false): Promise<void> {
    await transactionOf(call, part).add(call, isSealed ? this.cipher.seal(row) : row, part.delivery);
  }

  protected deliveryOf(receiver: Receiver, store: OutboxStore): Delivery {
    return new Delivery(receiver, store, this.cipher);
  }
}

/** The receiver that sends the requests of the datasource. */
function receiverOf(datasource: RestDatasource | Receiver): Receiver {
  if ('attempt' in datasource) return datasource;
  const { name, timeout } = datasource;
  return { name, timeout, attempt: (row, timeLimit) => attempt(row, datasource, timeLimit) };
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
