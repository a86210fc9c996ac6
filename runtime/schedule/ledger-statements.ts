/** The SQL statements of the schedule ledger, for both dialects. */

const columns = 'tick, job, operation, trigger_name, claimed_by';

const create = `create table if not exists apikiln_schedule (
  tick varchar(24) not null,
  job char(64) not null,
  operation text not null,
  trigger_name text not null,
  claimed_by varchar(200) not null,
  primary key (tick, job)
)`;

const there = 'select tick from apikiln_schedule where 1 = 0';

/** `tick` is the time of the tick in UTC, `job` a digest of operation and trigger. Both together are the primary key. */
export const ledgerStatements = {
  postgresql: {
    there,
    create,
    claim: `insert into apikiln_schedule (${columns}) values ($1, $2, $3, $4, $5) on conflict do nothing returning tick`,
    holder: 'select claimed_by from apikiln_schedule where tick = $1 and job = $2',
    clean: 'delete from apikiln_schedule where tick < $1',
  },
  mysql: {
    there,
    create: `${create} character set utf8mb4`,
    // INSERT IGNORE would also ignore other errors.
    claim: `insert into apikiln_schedule (${columns}) values (?, ?, ?, ?, ?)`,
    holder: 'select claimed_by from apikiln_schedule where tick = ? and job = ?',
    clean: 'delete from apikiln_schedule where tick < ?',
  },
} as const;
