/** The table of idempotency keys and its statements. Times are milliseconds since 1970, of the clock of the database. */

import { mysqlNow } from '../sql/mysql-now.js';
import { removedAtOnce } from '../sql/own-table.js';

/** `request`: the digest of the first request. `response` is only null in the transaction that inserts the row. */
const postgresTable = `create table if not exists apikiln_idempotency (
  id varchar(43) not null primary key,
  request varchar(43) not null,
  response text,
  expires bigint not null
)`;

const mysqlTable = `create table if not exists apikiln_idempotency (
  id varchar(43) character set ascii collate ascii_bin not null primary key,
  request varchar(43) character set ascii collate ascii_bin not null,
  response longtext,
  expires bigint not null,
  index apikiln_idempotency_expires (expires)
) engine InnoDB character set utf8mb4 collate utf8mb4_bin`;

/** The statements that create the table. */
export function keyTables(kind: 'postgresql' | 'mysql'): readonly string[] {
  return kind === 'postgresql'
    ? [
        postgresTable,
        'create index if not exists apikiln_idempotency_expires on apikiln_idempotency (expires)',
      ]
    : [mysqlTable];
}

const postgresNow = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** The name of a lock on MySQL and MariaDB, where names belong to the whole server: 64 characters, the most that a name can have. */
const lockName = "sha2(concat('apikiln_idempotency ', database(), ' ', ?), 256)";

export interface KeyStatements {
  readonly there: string;
  /** Takes the lock of the session without waiting; undefined if `claim` takes a lock of the transaction. */
  readonly lock: string | undefined;
  readonly release: string | undefined;
  /** Inserts the row of a key, or replaces an expired one. */
  readonly claim: string;
  /** The row of a key, unless it has expired. */
  readonly find: string;
  readonly complete: string;
  readonly clean: string;
}

export const keyStatements: Readonly<Record<'postgresql' | 'mysql', KeyStatements>> = {
  postgresql: {
    there: 'select 1 as there from apikiln_idempotency limit 1',
    lock: undefined,
    release: undefined,
    // An INSERT compares its key with the newest rows, not with those of its snapshot, which may be older than the lock.
    claim: `with lock as materialized (
  select pg_try_advisory_xact_lock(hashtextextended('apikiln_idempotency ' || $1::text, 0)) as is_free
)
insert into apikiln_idempotency as earlier (id, request, expires)
select $1::text, $2::text, ${postgresNow} + $3::bigint from lock where is_free
on conflict (id) do update set request = excluded.request, response = null, expires = excluded.expires
where earlier.expires <= ${postgresNow}
returning id`,
    find: `select request, response from apikiln_idempotency where id = $1::text and expires > ${postgresNow}`,
    complete: 'update apikiln_idempotency set response = $1::text where id = $2::text',
    clean: `with removed as (delete from apikiln_idempotency where id in (
    select id from apikiln_idempotency where expires <= ${postgresNow} limit ${removedAtOnce} for update skip locked)
  returning id) select count(*)::integer as affected_rows from removed`,
  },
  mysql: {
    there: 'select 1 as there from apikiln_idempotency limit 1',
    lock: `select get_lock(${lockName}, 0) as is_free`,
    release: `select release_lock(${lockName}) as is_released`,
    // Assignments run in order, so `expires` is the last one. The outcome is an id: 2 for a row that has not expired.
    claim: `insert into apikiln_idempotency (id, request, expires) values (?, ?, ${mysqlNow} + cast(? as signed))
on duplicate key update
  request = if(expires <= ${mysqlNow}, values(request), request),
  response = if(expires <= ${mysqlNow}, null, response),
  expires = if(last_insert_id(if(expires <= ${mysqlNow}, 1, 2)) = 1, values(expires), expires)`,
    find: `select request, response from apikiln_idempotency where id = ? and expires > ${mysqlNow}`,
    complete: 'update apikiln_idempotency set response = ? where id = ?',
    clean: `delete from apikiln_idempotency where expires <= ${mysqlNow} order by expires limit ${removedAtOnce}`,
  },
};
