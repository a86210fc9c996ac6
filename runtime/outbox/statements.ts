/** The SQL statements of an outbox, for both dialects. */
import { inList, value } from '../sql/in-lists.js';
import { sql, type SqlTemplate } from '../sql/sql-template.js';
import { lockCount } from './tables.js';

/** Requests of a datasource that are claimed together. */
export const batch = 8;

const columns = 'id, datasource, operation, fulfillment, order_key, method, url, header, content';
const stored = `${columns}, state, attempts, created, due, expires`;

/** All columns: a table of another version is noticed when the service starts. */
const there = `select position, ${stored}, lease, reason from apikiln_outbox where 1 = 0`;

/** Everything that is sent, and what decides when. */
const request = ['position', ...columns.split(', '), 'attempts']
  .map((column) => `apikiln_outbox.${column}`)
  .join(', ');

/** For people: nothing of what is sent. */
const listed = 'id, datasource, operation, fulfillment, state, attempts, reason';

/** `due` is when a row is sent next, its lease ends, or it is removed after it was sent. Times are those of the database. */
export interface OutboxStatements {
  readonly there: string;
  /** Takes the locks of keys until the transaction ends, so that the order of one key is that of its commits. */
  readonly lock: string | SqlTemplate;
  /** Stores a list of requests, which is JSON. */
  readonly store: string;
  /** The rows of a datasource that are sent next, with a lease if it takes one. */
  readonly claim: string;
  /** Takes a lease on the rows that are still free, and returns which these were; undefined where `claim` does. */
  readonly lease: SqlTemplate | undefined;
  readonly leased: SqlTemplate | undefined;
  readonly sent: SqlTemplate;
  readonly notSent: string;
  readonly release: SqlTemplate;
  readonly clean: string;
  readonly count: string;
  readonly list: string;
  readonly retry: SqlTemplate;
  readonly drop: SqlTemplate;
}

export const postgresStatements: OutboxStatements = {
  there,
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
  // Of each key only the first: a failed one holds up those behind it. Nothing is joined, so the plan needs no statistics. Others may lock
  // some of the candidates.
  claim: `with candidates as (
  (
    select position, due from apikiln_outbox
    where state = 'waiting' and datasource = $1 and due <= now() and order_key is null
    order by due, position limit ${8 * batch}
  )
  union all
  select position, due from (
    select distinct on (order_key) position, state, datasource, due from apikiln_outbox
    where order_key is not null
    order by order_key, position
  ) as first
  where state = 'waiting' and datasource = $1 and due <= now()
), next as (
  select position from apikiln_outbox
  where state = 'waiting' and due <= now()
    and position = any(array(select position from candidates order by due, position limit ${8 * batch}))
  order by due, position
  limit ${batch}
  for update skip locked
)
update apikiln_outbox
set lease = $2, attempts = attempts + 1, due = now() + $3::integer * interval '1 millisecond'
from next
where apikiln_outbox.position = next.position
returning ${request}, extract(epoch from expires - now())::float8 * 1000 as time_left`,
  lease: undefined,
  leased: undefined,
  // Without its key: the first of a key is found however many were sent before.
  sent: sql`
    update apikiln_outbox
    set state = 'sent', order_key = null, lease = null, reason = null, due = now() + interval '7 days'
    where state <> 'sent' and position ${inList()}
  `,
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
  retry: sql`
    update apikiln_outbox
    set state = 'waiting', attempts = 0, reason = null, due = now(), expires = now() + interval '3 days'
    where state = 'failed' and id ${inList()}
    returning id
  `,
  drop: sql`delete from apikiln_outbox where state in ('waiting', 'failed') and id ${inList()} returning id`,
};

export const mysqlStatements: OutboxStatements = {
  there,
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
  claim: `select ${request}, timestampdiff(second, utc_timestamp(3), expires) * 1000 as time_left
from (
  (
    select position from apikiln_outbox
    where state = 'waiting' and datasource = ? and due <= utc_timestamp(3) and order_key is null
    order by due, position limit ${batch}
  )
  union all
  (select min(position) from apikiln_outbox where order_key is not null group by order_key)
) as candidates
join apikiln_outbox on apikiln_outbox.position = candidates.position
where state = 'waiting' and datasource = ? and due <= utc_timestamp(3)
order by due, position
limit ${batch}`,
  // By their primary keys: nothing but the rows themselves is locked, and only for this statement.
  lease: sql`
    update apikiln_outbox
    set lease = ${value}, attempts = attempts + 1, due = utc_timestamp(3) + interval ${value} * 1000 microsecond
    where state = 'waiting' and due <= utc_timestamp(3) and position ${inList()}
  `,
  leased: sql`select position from apikiln_outbox where lease = ${value} and position ${inList()}`,
  sent: sql`
    update apikiln_outbox
    set state = 'sent', order_key = null, lease = null, reason = null, due = utc_timestamp(3) + interval 7 day
    where state <> 'sent' and position ${inList()}
  `,
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
  retry: sql`
    update apikiln_outbox
    set state = 'waiting', attempts = 0, reason = null, due = utc_timestamp(3),
      expires = utc_timestamp(3) + interval 3 day
    where state = 'failed' and id ${inList()}
  `,
  drop: sql`delete from apikiln_outbox where state in ('waiting', 'failed') and id ${inList()}`,
};

/** The lock of a key on MySQL and MariaDB, which have none that end with a transaction; `key` is hexadecimal. */
export function lockOf(key: string): number {
  return Number.parseInt(key.slice(0, 8), 16) % lockCount;
}
