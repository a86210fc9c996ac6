/** The table of limits and its statements. Times are milliseconds since 1970, of the clock of the database. */

import { mysqlNow } from '../sql/mysql-now.js';
import { removedAtOnce } from '../sql/own-table.js';

/** The id of the row with the key of the digests. Digests are longer. */
const secretId = 'secret';

/** The end of its window: never. */
const never = '9007199254740991';

const postgresTable = `create table if not exists apikiln_limit (
  id varchar(43) not null primary key,
  requests integer not null,
  window_end bigint not null,
  is_over boolean not null,
  secret varchar(43)
)`;

/** `is_new`: whether the last request began a window. `outcome`: what a statement returns. */
const mysqlTable = `create table if not exists apikiln_limit (
  id varchar(43) not null primary key,
  requests integer not null,
  window_end bigint not null,
  is_over boolean not null,
  is_new boolean not null,
  outcome bigint not null,
  secret varchar(43),
  index apikiln_limit_end (window_end)
) engine InnoDB character set ascii collate ascii_bin`;

/** The statement that creates the table. */
export function limitTable(kind: 'postgresql' | 'mysql'): string {
  return kind === 'postgresql' ? postgresTable : mysqlTable;
}

const postgresNow = '(extract(epoch from now()) * 1000)::bigint';
const secret = `select secret from apikiln_limit where id = '${secretId}'`;

/** Whether the window of a row is over. A window begins with a counted request, so one without requests is over. */
const isPastInPostgres = `(counted.window_end <= ${postgresNow} or counted.requests = 0)`;

export const limitStatements = {
  postgresql: {
    secret,
    addSecret: `insert into apikiln_limit (id, requests, window_end, is_over, secret)
      values ('${secretId}', 0, ${never}, false, $1) on conflict (id) do nothing`,
    // In a conflict, all expressions read the row before the change.
    count: `insert into apikiln_limit as counted (id, requests, window_end, is_over)
      values ($1, 1, ${postgresNow} + $2::bigint, false)
      on conflict (id) do update set
        requests = case when ${isPastInPostgres} then 1
          when counted.requests < $3::integer then counted.requests + 1 else counted.requests end,
        is_over = not ${isPastInPostgres} and counted.requests >= $3::integer,
        window_end = case when ${isPastInPostgres} then excluded.window_end else counted.window_end end
      returning is_over, window_end::text as window_end, window_end - ${postgresNow} as time_left`,
    timeLeft: `select window_end - ${postgresNow} as time_left from apikiln_limit where id = $1`,
    giveBack: `update apikiln_limit set requests = requests - 1
      where id = $1 and window_end = $2::bigint and requests > 0`,
    clean: `with removed as (delete from apikiln_limit where id in (
        select id from apikiln_limit where window_end <= ${postgresNow} limit ${removedAtOnce} for update skip locked)
      returning id) select count(*)::integer as affected_rows from removed`,
  },
  mysql: {
    secret,
    addSecret: `insert into apikiln_limit (id, requests, window_end, is_over, is_new, outcome, secret)
      values ('${secretId}', 0, ${never}, false, false, 0, ?) on duplicate key update id = id`,
    // Assignments run in order, and each one reads the results of earlier assignments.
    count: `insert into apikiln_limit (id, requests, window_end, is_over, is_new, outcome)
      values (?, 1, ${mysqlNow} + cast(? as signed), false, true, last_insert_id((${mysqlNow} + cast(? as signed)) * 2))
      on duplicate key update
        is_new = window_end <= ${mysqlNow} or requests = 0,
        is_over = not is_new and requests >= cast(? as signed),
        requests = if(is_new, 1, if(is_over, requests, requests + 1)),
        window_end = if(is_new, ${mysqlNow} + cast(? as signed), window_end),
        outcome = last_insert_id(window_end * 2 + is_over)`,
    timeLeft: `select window_end - ${mysqlNow} as time_left from apikiln_limit where id = ?`,
    giveBack: `update apikiln_limit set requests = requests - 1
      where id = ? and window_end = cast(? as signed) and requests > 0`,
    clean: `delete from apikiln_limit where window_end <= ${mysqlNow} order by window_end limit ${removedAtOnce}`,
  },
} as const;
