/** The tables of an outbox, created when the service starts, or by a user with the privileges. */

const postgresTable = `create table if not exists apikiln_outbox (
  position bigint generated always as identity primary key,
  id varchar(36) not null,
  datasource text not null,
  operation text not null,
  fulfillment text not null,
  order_key varchar(64),
  method varchar(10) not null,
  url text not null,
  header text not null,
  content text,
  state varchar(7) not null,
  attempts integer not null,
  created timestamptz not null,
  due timestamptz not null,
  expires timestamptz not null,
  lease varchar(36),
  reason text
)`;

const mysqlTable = `create table if not exists apikiln_outbox (
  position bigint not null auto_increment primary key,
  id varchar(36) not null,
  datasource varchar(255) not null,
  operation text not null,
  fulfillment text not null,
  order_key varchar(64),
  method varchar(10) not null,
  url longtext not null,
  header longtext not null,
  content longtext,
  state varchar(7) not null,
  attempts integer not null,
  created datetime(3) not null,
  due datetime(3) not null,
  expires datetime(3) not null,
  lease varchar(36),
  reason text,
  index apikiln_outbox_due (state, datasource, due),
  index apikiln_outbox_order (order_key, position)
) engine InnoDB character set utf8mb4 collate utf8mb4_bin`;

/** Number of locks. Transactions with keys that share a lock wait for each other's commit. */
export const lockCount = 256;

/** Statements that create the tables. Each only creates missing parts. */
export function outboxTables(kind: 'postgresql' | 'mysql'): readonly string[] {
  if (kind === 'postgresql')
    return [
      postgresTable,
      'create index if not exists apikiln_outbox_order on apikiln_outbox (order_key, position)',
      'create index if not exists apikiln_outbox_queue on apikiln_outbox (state, datasource, due, position)',
      // The index of an earlier version, without the position: many rows may have the same due time.
      'drop index if exists apikiln_outbox_due',
    ];
  const locks = Array.from({ length: lockCount }, (_, number) => `(${number})`).join(', ');
  return [
    mysqlTable,
    'create table if not exists apikiln_outbox_lock (number smallint not null primary key) engine InnoDB',
    `insert ignore into apikiln_outbox_lock (number) values ${locks}`,
  ];
}

/** The privileges of the datasource user on a PostgreSQL table that another user creates. */
export function grantToUser(user: string): string {
  return `grant select, insert, update, delete on apikiln_outbox to ${quoted(user)}`;
}

/** The privilege to store requests, for the role used by the datasource on PostgreSQL. */
export function grantToRole(role: string): string {
  return `grant insert on apikiln_outbox to ${quoted(role)}`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
