/** Outboxes with many rows on both kinds of databases, and test queries about them. */
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import type { StoredRequest } from '../../../runtime/outbox/stored-request.js';
import { OutboxStore, type Claimed } from '../../../runtime/outbox/store.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { testCall } from '../../helpers/test-call.js';

export type Kind = 'PostgreSQL' | 'MariaDB';

/** The SQL for each database, used where tests write statements by hand. */
const dialects = {
  PostgreSQL: {
    datasource: postgres,
    now: 'now()',
    inAnHour: "now() + interval '1 hour'",
    numbers: (count: number) => `generate_series(1, ${count}) as numbers (n)`,
    text: (expression: string) => `(${expression})::text`,
    waiting: "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
  },
  MariaDB: {
    datasource: mysql,
    now: 'utc_timestamp(3)',
    inAnHour: 'utc_timestamp(3) + interval 1 hour',
    numbers: (count: number) => `(select seq as n from seq_1_to_${count}) as numbers`,
    text: (expression: string) => `cast(${expression} as char)`,
    waiting: "select 1 from information_schema.innodb_trx where trx_state = 'LOCK WAIT'",
  },
};

/** Distributions of keys over waiting requests: the key of row `n`, as SQL. */
export const distributions = {
  'no key': () => 'null',
  'one key': () => "rpad('a', 64, 'a')",
  'a hundred keys, one after the other': (kind: Kind, count: number) =>
    `lpad(${dialects[kind].text(`floor((n - 1) / (${count} / 100.0))`)}, 64, '0')`,
  'keys of their own': (kind: Kind) => `lpad(${dialects[kind].text('n * 7919 % 1000003')}, 64, '0')`,
} satisfies Readonly<Record<string, (kind: Kind, count: number) => string>>;

export type Distribution = keyof typeof distributions;

/** A statement that stores `count` rows for the datasource `receiver`, due in the order of their positions. */
export function fillStatement(
  kind: Kind,
  count: number,
  distribution: Distribution,
  state = 'waiting',
): string {
  const { now, numbers } = dialects[kind];
  const second = kind === 'MariaDB' ? 'interval 1 second' : "interval '1 second'";
  const key = distributions[distribution](kind, count);
  const due = `${now} - ${second} * (${count} - n) / 1000`;
  const mariadbDue = `${now} - interval (${count} - n) * 1000 microsecond`;
  const time = kind === 'MariaDB' ? mariadbDue : due;
  return `insert into apikiln_outbox (id, datasource, operation, fulfillment, order_key, method, url, header, content,
  state, attempts, created, due, expires)
select ${dialects[kind].text('n')}, 'receiver', 'POST /orders', 'order', ${key}, 'POST', '/hook', '{}', '{"id":1}',
  '${state}', 0, ${time}, ${time}, ${now} + ${kind === 'MariaDB' ? 'interval 3 day' : "interval '3 days'"}
from ${numbers(count)} order by n`;
}

export class FilledOutbox {
  readonly store: OutboxStore;

  private constructor(
    readonly kind: Kind,
    readonly server: AttachedServer,
    readonly database: string,
    private readonly datasource: DatabaseDatasource,
  ) {
    this.store = new OutboxStore(datasource, undefined);
  }

  /** Creates the database. */
  static async open(kind: Kind, server: AttachedServer, database: string): Promise<FilledOutbox> {
    await server.createDatabase(database);
    const datasource = dialects[kind].datasource({ name: 'shop' });
    const { user, password } = server;
    datasource.open({ url: server.jdbcUrl(database), user, password });
    return new FilledOutbox(kind, server, database, datasource);
  }

  exec(sql: string): Promise<Record<string, unknown>[]> {
    return this.server.exec(this.database, sql);
  }

  /** Fills the empty table. */
  async fill(count: number, distribution: Distribution, state?: string): Promise<void> {
    await this.exec(fillStatement(this.kind, count, distribution, state));
  }

  /** Stores a row for each of the keys in one transaction, and returns after the commit. */
  put(
    keys: readonly (string | null)[],
    until: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<void> {
    return inTransaction(testCall(), async (call) => {
      await this.store.store(call, keys.map(requestOf));
      await until();
    });
  }

  /** Claims until no row is due. */
  async claimAll(): Promise<Claimed[]> {
    const all: Claimed[] = [];
    for (;;) {
      const { requests, hasMore } = await this.store.claim('receiver', 60_000);
      all.push(...requests);
      if (!(await hasMore())) return all;
    }
  }

  /** Claims and sends until no row is due. Returns the positions in sending order. */
  async drain(): Promise<number[]> {
    const all: number[] = [];
    for (;;) {
      const { requests, hasMore } = await this.store.claim('receiver', 60_000);
      if (requests.length > 0) await this.store.sent(requests);
      else if (!(await hasMore())) return all;
      all.push(...requests.map(({ position }) => Number(position)));
    }
  }

  /** The positions of waiting rows that are not due. */
  async parked(): Promise<number[]> {
    const rows = await this.exec(
      `select position from apikiln_outbox where state = 'waiting' and due > ${this.dialect.now} and lease is null order by position`,
    );
    return rows.map(({ position }) => Number(position));
  }

  /** The statement used by `Parking`. */
  parkStatement(position: number): string {
    return `update apikiln_outbox set due = ${this.dialect.inAnHour} where position = ${position}`;
  }

  /** Behaves like a process of an earlier version, which does not know parked rows. */
  async sentByEarlierVersion(position: number): Promise<void> {
    await this.exec(
      `update apikiln_outbox set state = 'sent', order_key = null, lease = null where position = ${position}`,
    );
  }

  /** Whether a transaction waits for a lock held by another. */
  async isLocked(): Promise<boolean> {
    return (await this.locked()) > 0;
  }

  /** The number of transactions that wait for a lock held by another. */
  async locked(): Promise<number> {
    return (await this.exec(this.dialect.waiting)).length;
  }

  async close(): Promise<void> {
    await this.datasource.close(performance.now() + 1000);
  }

  private get dialect() {
    return dialects[this.kind];
  }
}

let ids = 0;

function requestOf(key: string | null): StoredRequest {
  return {
    id: `id-${(ids += 1)}`,
    ...{ datasource: 'receiver', operation: 'POST /orders', fulfillment: 'order' },
    // On MariaDB, the first digits of a key select its lock.
    orderKey: key === null ? null : Buffer.from(key).toString('hex').padStart(64, '0'),
    ...{ method: 'POST', url: '/hook', header: '{}', content: null },
  };
}
