/** The SQL statements of the outbox, in both dialects. */
import { inList, value } from '../sql/in-lists.js';
import { sql, type SqlTemplate } from '../sql/sql-template.js';
import { lockCount } from './tables.js';

/** Maximum number of requests of a datasource claimed together. */
export const batch = 8;
/** Number of due rows that a claim considers. */
export const queueSize = 8 * batch;
/** Number of due rows considered for parking at a time. */
const parkSize = 8 * queueSize;
/** Number of rows that are not due checked by one sweep. */
export const sweepSize = 1000;
/** Maximum number of failed rows retried or dropped together. */
export const failedSize = 1000;

const columns = 'id, datasource, operation, fulfillment, order_key, method, url, header, content';
const stored = `${columns}, state, attempts, created, due, expires`;

/** Reads all columns, so that a table of another version is noticed when the service starts. */
const there = `select position, ${stored}, lease, reason from apikiln_outbox where 1 = 0`;

/** A parked row: never sent, and not due. `now` is the time of the database. */
const parked = (now: string): string =>
  `state = 'waiting' and attempts = 0 and lease is null and due > ${now}`;

/** The columns that are sent, and the columns that determine when. */
const request = ['position', ...columns.split(', '), 'attempts']
  .map((column) => `apikiln_outbox.${column}`)
  .join(', ');

/** The columns for listings, without request content. */
const listed = 'id, datasource, operation, fulfillment, state, attempts, reason';

/**
 * The statements of an outbox. `due` is the next time at which a row is sent, its lease ends, or it is deleted after it was sent. All
 * times are database times.
 */
export interface OutboxStatements {
  /** Returns whether the table is `ready`: indexes must not be from an earlier version, and no locks may be missing. */
  readonly there: string;
  /** Locks keys until the transaction ends, so that requests of a key are stored in the order of commits. */
  readonly lock: string | SqlTemplate;
  /** Stores requests, passed as a JSON list. */
  readonly store: string;
  /** Claims the next rows of a datasource, each with the number of rows read. Includes the lease, unless `lease` is defined. */
  readonly claim: string;
  /** Leases the rows that are still available, and returns them; undefined if `claim` includes the lease. */
  readonly lease: SqlTemplate | undefined;
  readonly leased: SqlTemplate | undefined;
  readonly sent: SqlTemplate;
  /** Records within the transaction of a call that it was made, unless its lease has ended. */
  readonly called: string;
  readonly notSent: string;
  readonly release: SqlTemplate;
  readonly clean: string;
  readonly count: string;
  readonly list: string;
  /** Waiting and failed rows with the given ids. */
  readonly named: SqlTemplate;
  /** The first failed rows after a position. */
  readonly failed: string;
  readonly retry: SqlTemplate;
  readonly drop: SqlTemplate;
  /** Due rows that wait for another row of their key, each with the first row of the key; empty if a single claim reads all due rows. */
  readonly behind: string;
  /** Locks, until the transaction ends, rows that are not locked and still have their key. Never waits. */
  readonly lockFree: SqlTemplate;
  /**
   * Writes rows without changing them. A transaction with an older snapshot that removes one of these rows then has a conflict, and is
   * retried.
   */
  readonly touch: SqlTemplate;
  readonly park: SqlTemplate;
  /** The next parked rows after the given keys and positions, passed as a JSON list. */
  readonly parkedNext: string;
  /** Rows that are not due, starting at a due time and position, and whether each is parked although it is the first row of its key. */
  readonly notDue: string;
  readonly unpark: SqlTemplate;
}

const named = sql`
  select position, order_key from apikiln_outbox where state in ('waiting', 'failed') and id ${inList()}
`;
const touch = sql`update apikiln_outbox set lease = lease where position ${inList()}`;

export const postgresStatements: OutboxStatements = {
  // Restricted to this table, because another schema in the search path may contain a table of an earlier version.
  there: `select array(
  select relname::text from pg_catalog.pg_index join pg_catalog.pg_class on pg_class.oid = indexrelid
  where indrelid = pg_catalog.to_regclass('apikiln_outbox') and relname in ('apikiln_outbox_queue', 'apikiln_outbox_due')
) = array['apikiln_outbox_queue'] as ready
from (select count(*) from (${there}) as columns) as outbox`,
  lock: `select pg_advisory_xact_lock(lock) from (
  select distinct hashtextextended('apikiln_outbox ' || value, 0) as lock
  from json_array_elements_text($1::text::json) as keys (value)
  order by 1
) as locks`,
  store: `insert into apikiln_outbox (${stored})
select ${columns}, 'waiting', 0, clock_timestamp(), clock_timestamp(), clock_timestamp() + interval '3 days'
from json_to_recordset($1::text::json) as request (
  id text, datasource text, operation text, fulfillment text, order_key text, method text, url text, header text,
  content text
)`,
  // A failed row blocks later rows of its key. The plan does not depend on statistics: there are no joins, and here and below, a row
  // comparison, or a position together with a CASE, matches only one index. Other transactions may have locked some of the rows.
  claim: `with queue as (
  select position, order_key from apikiln_outbox
  where state = 'waiting' and datasource = $1 and due <= now()
  order by due, position limit ${queueSize}
), next as (
  select position from apikiln_outbox
  where case when state = 'waiting' then due <= now() end and position = any(array(
    select position from queue
    where order_key is null or order_key is distinct from (
      select order_key from apikiln_outbox as earlier
      where (earlier.order_key, earlier.position) < (queue.order_key, queue.position)
      order by earlier.order_key desc, earlier.position desc limit 1
    )
    limit ${3 * batch}
  ))
  order by due, position
  limit ${batch}
  for update skip locked
)
update apikiln_outbox
set lease = $2, attempts = attempts + 1, due = now() + $3::integer * interval '1 millisecond'
from next
where apikiln_outbox.position = next.position
returning ${request}, extract(epoch from expires - now())::float8 * 1000 as time_left,
  (select count(*) from queue)::integer as queued`,
  lease: undefined,
  leased: undefined,
  // The key is removed, so that the first row of a key is found quickly, however many rows were sent before. The content is removed,
  // because it may contain secrets.
  sent: sql`
    update apikiln_outbox
    set state = 'sent', order_key = null, lease = null, reason = null, due = now() + interval '7 days',
      url = '', header = '', content = null
    where state <> 'sent' and position ${inList()}
  `,
  called: `update apikiln_outbox
set state = 'sent', lease = null, reason = null, due = now() + interval '7 days', url = '', header = '', content = null
where position = $1 and lease = $2
returning position`,
  notSent: `update apikiln_outbox
set state = $1, reason = $2, due = now() + $3::integer * interval '1 millisecond', lease = null
where position = $4 and lease = $5`,
  release: sql`update apikiln_outbox set lease = null, due = now() where lease ${inList()}`,
  clean: `delete from apikiln_outbox where position in (
  select position from apikiln_outbox where state = 'sent' and datasource = $1 and due <= now() limit 10000
)`,
  count: `select datasource, state, count(*)::integer as requests,
  extract(epoch from now() - min(created))::float8 as age
from apikiln_outbox where state in ('waiting', 'failed') group by datasource, state`,
  list: `select ${listed}, to_char(created at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as stored
from apikiln_outbox where state = $1 order by position limit 1000`,
  named,
  failed: `select position, order_key from apikiln_outbox
where state = 'failed' and case when position > $1::text::bigint then true end
order by position + 0 limit ${failedSize}`,
  retry: sql`
    update apikiln_outbox
    set state = 'waiting', attempts = 0, reason = null, due = now(), expires = now() + interval '3 days'
    where case when state = 'failed' then true end and position ${inList()}
    returning position
  `,
  drop: sql`
    delete from apikiln_outbox
    where case when state in ('waiting', 'failed') then true end and position ${inList()}
    returning position
  `,
  // The first row of each key is searched only once, because earlier rows that were sent stay in the index for a while.
  behind: `with queue as (
  select position, order_key from apikiln_outbox
  where state = 'waiting' and datasource = $1 and due <= now()
  order by due, position limit ${parkSize}
), firsts as (
  select order_key, (
    select position from apikiln_outbox as one
    where one.order_key >= keys.order_key
    order by one.order_key, one.position limit 1
  ) as first
  from (select distinct order_key from queue where order_key is not null) as keys
)
select queue.position, firsts.first
from queue join firsts on firsts.order_key = queue.order_key
where queue.position <> firsts.first and (select count(*) from queue) >= ${queueSize}`,
  lockFree: sql`
    select position from apikiln_outbox
    where case when order_key is null then false else true end and position ${inList()}
    for update skip locked
  `,
  touch,
  park: sql`
    update apikiln_outbox set due = now() + interval '1 hour', attempts = 0
    where case when state = 'waiting' and lease is null then due <= now() end and position ${inList()}
  `,
  parkedNext: `select apikiln_outbox.position
from json_array_elements($1::text::json) as removed (pair)
cross join lateral (
  select position, order_key from apikiln_outbox
  where (order_key, position) > (pair ->> 0, (pair ->> 1)::bigint)
  order by order_key, position limit 1
) as next
join apikiln_outbox on apikiln_outbox.position = next.position
where next.order_key = pair ->> 0 and case when ${parked('now()')} then true end`,
  notDue: `select position, due::text as due, attempts = 0 and lease is null and order_key is not null and (
    select order_key from apikiln_outbox as earlier
    where (earlier.order_key, earlier.position) < (later.order_key, later.position)
    order by earlier.order_key desc, earlier.position desc limit 1
  ) is distinct from order_key as stray
from apikiln_outbox as later
where state = 'waiting' and datasource = $1 and due > now()
  and due >= $2::text::timestamptz and (due, position) > ($3::text::timestamptz, $4::bigint)
order by due, position limit ${sweepSize}`,
  unpark: sql`
    update apikiln_outbox set due = created
    where case when state = 'waiting' and attempts = 0 then lease is null end and position ${inList()}
  `,
};

/** The first row with the same key as a row in `queue`. */
const mysqlFirst = `(
    select position from apikiln_outbox as one force index (apikiln_outbox_order)
    where one.order_key = queue.order_key order by one.position limit 1
  )`;

export const mysqlStatements: OutboxStatements = {
  // A process killed at its start may have created only some of the locks. Without all of them, the order is not guaranteed.
  there: `select (select count(*) from apikiln_outbox_lock) = ${lockCount} as ready
from (select count(*) from (${there}) as outbox) as outbox`,
  lock: sql`select number from apikiln_outbox_lock where number ${inList()} order by number for update`,
  store: `insert into apikiln_outbox (${stored})
select ${columns}, 'waiting', 0, utc_timestamp(3), utc_timestamp(3), utc_timestamp(3) + interval 3 day
from json_table(?, '$[*]' columns (
  number for ordinality, id varchar(36) path '$.id', datasource varchar(255) path '$.datasource',
  operation text path '$.operation', fulfillment text path '$.fulfillment', order_key varchar(64) path '$.order_key',
  method varchar(10) path '$.method', url longtext path '$.url', header longtext path '$.header',
  content longtext path '$.content'
)) as request
order by number`,
  // `position` is the last column of each index.
  claim: `select ${request}, timestampdiff(second, utc_timestamp(3), expires) * 1000 as time_left, queued
from (
  select position, order_key, ${mysqlFirst} as first, count(*) over () as queued
  from (
    select position, order_key from apikiln_outbox force index (apikiln_outbox_due)
    where state = 'waiting' and datasource = ? and due <= utc_timestamp(3)
    order by due, position limit ${queueSize}
  ) as queue
) as candidates
straight_join apikiln_outbox on apikiln_outbox.position = candidates.position
where candidates.order_key is null or candidates.first = candidates.position
order by due, apikiln_outbox.position
limit ${batch}`,
  // Uses the primary key, so that only these rows are locked, and only during this statement.
  lease: sql`
    update apikiln_outbox force index (primary)
    set lease = ${value}, attempts = attempts + 1, due = utc_timestamp(3) + interval ${value} * 1000 microsecond
    where state = 'waiting' and due <= utc_timestamp(3) and position ${inList()}
  `,
  leased: sql`select position from apikiln_outbox where lease = ${value} and position ${inList()}`,
  sent: sql`
    update apikiln_outbox
    set state = 'sent', order_key = null, lease = null, reason = null, due = utc_timestamp(3) + interval 7 day,
      url = '', header = '', content = null
    where state <> 'sent' and position ${inList()}
  `,
  called: `update apikiln_outbox force index (primary)
set state = 'sent', lease = null, reason = null, due = utc_timestamp(3) + interval 7 day, url = '', header = '', content = null
where position = ? and lease = ?`,
  notSent: `update apikiln_outbox
set state = ?, reason = ?, due = utc_timestamp(3) + interval ? * 1000 microsecond, lease = null
where position = ? and lease = ?`,
  release: sql`update apikiln_outbox set lease = null, due = utc_timestamp(3) where lease ${inList()}`,
  clean: `delete from apikiln_outbox where state = 'sent' and datasource = ? and due <= utc_timestamp(3) limit 10000`,
  count: `select datasource, state, count(*) as requests,
  timestampdiff(second, min(created), utc_timestamp(3)) as age
from apikiln_outbox where state in ('waiting', 'failed') group by datasource, state`,
  list: `select ${listed}, date_format(created, '%Y-%m-%dT%H:%i:%sZ') as stored
from apikiln_outbox where state = ? order by position limit 1000`,
  named,
  failed: `select position, order_key from apikiln_outbox force index (apikiln_outbox_due)
where state = 'failed' and position > cast(? as signed) order by position limit ${failedSize}`,
  retry: sql`
    update apikiln_outbox force index (primary)
    set state = 'waiting', attempts = 0, reason = null, due = utc_timestamp(3),
      expires = utc_timestamp(3) + interval 3 day
    where state = 'failed' and position ${inList()}
  `,
  drop: sql`delete from apikiln_outbox where state in ('waiting', 'failed') and position ${inList()}`,
  behind: `select position, first from (
  select position, ${mysqlFirst} as first, count(*) over () as queued
  from (
    select position, order_key from apikiln_outbox force index (apikiln_outbox_due)
    where state = 'waiting' and datasource = ? and due <= utc_timestamp(3)
    order by due, position limit ${parkSize}
  ) as queue
) as candidates
where first <> position and queued >= ${queueSize}`,
  lockFree: sql`
    select position from apikiln_outbox force index (primary)
    where order_key is not null and position ${inList()}
    for update skip locked
  `,
  touch,
  park: sql`
    update apikiln_outbox force index (primary)
    set due = utc_timestamp(3) + interval 1 hour, attempts = 0
    where state = 'waiting' and lease is null and due <= utc_timestamp(3) and position ${inList()}
  `,
  parkedNext: `select apikiln_outbox.position
from (
  select (
    select position from apikiln_outbox as next force index (apikiln_outbox_order)
    where next.order_key = convert(removed.order_key using utf8mb4) collate utf8mb4_bin
      and next.position > removed.position
    order by next.position limit 1
  ) as position
  from json_table(?, '$[*]' columns (order_key varchar(64) path '$[0]', position bigint path '$[1]')) as removed
) as next
straight_join apikiln_outbox on apikiln_outbox.position = next.position
where ${parked('utc_timestamp(3)')}`,
  notDue: `select position, date_format(due, '%Y-%m-%d %H:%i:%s.%f') as due,
  attempts = 0 and lease is null and ${mysqlFirst} = position as stray
from (
  select position, order_key, due, attempts, lease from apikiln_outbox force index (apikiln_outbox_due)
  where state = 'waiting' and datasource = ? and due > utc_timestamp(3)
    and due >= cast(? as datetime(3)) and (due > cast(? as datetime(3)) or position > ?)
  order by due, position limit ${sweepSize}
) as queue
order by queue.due, position`,
  unpark: sql`
    update apikiln_outbox force index (primary) set due = created
    where state = 'waiting' and attempts = 0 and lease is null and position ${inList()}
  `,
};

/** The lock of a key, because MySQL and MariaDB do not have named locks that end with the transaction. `key` is hexadecimal. */
export function lockOf(key: string): number {
  return Number.parseInt(key.slice(0, 8), 16) % lockCount;
}
