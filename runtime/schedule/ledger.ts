/** The schedule ledger: each tick runs once, on the instance that inserts its row. */
import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Call } from '../handler/call.js';
import { describeFailure, type Log } from '../server/log.js';
import type { Json, Row } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { timedCall } from './timed-run.js';

/** The members of a database datasource that the ledger uses. */
export interface LedgerDatabase {
  readonly name: string;
  readonly kind: 'postgresql' | 'mysql';
  read(definition: LedgerStatement): (call: Call, values: readonly Json[]) => Promise<Row[]>;
  update(definition: LedgerStatement): (call: Call, values: readonly Json[]) => Promise<Row[]>;
}

interface LedgerStatement {
  readonly operation: string;
  readonly fulfillment: string;
  readonly sql: string;
  readonly asUser: true;
  readonly retry?: false;
  readonly atomic?: false;
}

/** The trigger of a tick. */
export interface TickOwner {
  readonly operation: string;
  readonly trigger: string;
}

/** Milliseconds for an attempt to claim a tick. */
const claimTimeout = 5_000;

/** Milliseconds between two attempts to create the table. */
const pause = 5_000;

/** Milliseconds for which rows are kept, far longer than clock differences between instances. */
const hour = 3_600_000;
const rowsKept = 24 * hour;

/**
 * Maximum number of rows deleted by one statement. On MariaDB, deleting a million rows would exceed the time limit of a statement, and
 * fail again every hour.
 */
const removedAtOnce = 10_000;

/**
 * Claims ticks by their scheduled time, so that clock differences of seconds neither repeat nor lose a tick. A tick never runs twice,
 * but can be lost if it cannot be claimed or its instance dies. Runs of different ticks on different instances may overlap.
 */
export class TickLedger {
  private readonly statements;
  /** Identifies this process. */
  private readonly instance = `${hostname().slice(0, 100)} ${process.pid} ${randomUUID()}`;
  private prepared = false;
  private cleaned = -Infinity;
  private readonly closing = new AbortController();

  constructor(
    database: LedgerDatabase,
    private readonly log: Log,
  ) {
    const site = { operation: 'SCHEDULE_LEDGER', fulfillment: database.name, asUser: true as const };
    const { there, create, claim, holder, clean } = ledgerStatements[database.kind];
    // Each statement runs on a separate connection.
    this.statements = {
      there: database.read({ ...site, sql: there, retry: false }),
      create: database.update({ ...site, sql: create, atomic: false }),
      claim: database.update({ ...site, sql: claim }),
      holder: database.read({ ...site, sql: holder, retry: false }),
      clean: database.update({ ...site, sql: clean }),
    };
  }

  /** Creates the table if missing, as soon as the database responds. Never fails. */
  async open(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted && !this.prepared) {
      try {
        await this.prepare();
      } catch (error) {
        this.log.warn(describeFailure(error), 'the schedule ledger is not ready, and is tried again');
        await delay(pause, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  close(): void {
    this.closing.abort();
  }

  /**
   * Returns true if this instance runs the tick. Throws a ServiceError if the ledger is unavailable: the tick must not run then,
   * because another instance may have claimed it.
   */
  async claim(owner: TickOwner, tick: Date): Promise<boolean> {
    try {
      return await this.insert(owner, tick);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.status < 503 && error.details.outcome !== 'unknown') throw error;
    }
    // The first attempt may have succeeded although its result was lost.
    if (await this.insert(owner, tick)) return true;
    const [row] = await this.statements.holder(timedCall(claimTimeout), keyOf(owner, tick));
    return row?.['claimed_by'] === this.instance;
  }

  private async insert(owner: TickOwner, tick: Date): Promise<boolean> {
    const call = timedCall(claimTimeout);
    const values = [...keyOf(owner, tick), owner.operation, owner.trigger, this.instance];
    try {
      if (!this.prepared) await this.prepare();
      const rows = await this.statements.claim(call, values);
      if (rows.length > 0) this.cleanNowAndThen(tick);
      return rows.length > 0;
    } catch (error) {
      // MySQL reports an existing row as an error; PostgreSQL returns no rows.
      if (error instanceof ServiceError && error.status === 409) return false;
      // The table may have been dropped, so it is created again.
      this.prepared = false;
      throw error;
    }
  }

  private async prepare(): Promise<void> {
    const call = timedCall(claimTimeout);
    try {
      await this.statements.there(call, []);
    } catch (error) {
      if (error instanceof ServiceError && error.status >= 503) throw error;
      // Checked first, because a user without the privilege to create tables can use an existing table.
      await this.create(call);
    }
    this.prepared = true;
  }

  private async create(call: Call): Promise<void> {
    try {
      await this.statements.create(call, []);
    } catch (error) {
      // PostgreSQL reports this error if another instance creates the table at the same time.
      if (!(error instanceof ServiceError) || error.status !== 409) throw error;
      await this.statements.there(call, []);
    }
  }

  private cleanNowAndThen(tick: Date): void {
    const time = tick.getTime();
    if (Math.abs(time - this.cleaned) < hour) return;
    this.cleaned = time;
    const oldest = new Date(time - rowsKept).toISOString();
    this.clean(oldest).catch((error: unknown) => {
      this.log.warn(describeFailure(error), 'old rows of the schedule ledger were not removed');
    });
  }

  private async clean(oldest: string): Promise<void> {
    let removed: Json = removedAtOnce;
    while (removed === removedAtOnce && !this.closing.signal.aborted) {
      const [row] = await this.statements.clean(timedCall(claimTimeout), [oldest]);
      removed = row?.['affected_rows'] ?? 0;
    }
  }
}

/**
 * The key of a tick: its time, and a digest of operation and trigger. A digest is used because names may be long or differ only in
 * letter case, which conflicts with key lengths and collations of databases.
 */
function keyOf({ operation, trigger }: TickOwner, tick: Date): [tick: string, job: string] {
  const job = createHash('sha256')
    .update(JSON.stringify([operation, trigger]))
    .digest('hex');
  return [tick.toISOString(), job];
}

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

/** `tick` is the time of the tick in UTC, and `job` a digest of operation and trigger. Together they are the primary key. */
const ledgerStatements = {
  postgresql: {
    there,
    create,
    claim: `insert into apikiln_schedule (${columns}) values ($1, $2, $3, $4, $5) on conflict do nothing returning tick`,
    holder: 'select claimed_by from apikiln_schedule where tick = $1 and job = $2',
    clean: `with removed as (delete from apikiln_schedule where (tick, job) in (
      select tick, job from apikiln_schedule where tick < $1 order by tick, job limit ${removedAtOnce}) returning tick)
      select count(*)::int as affected_rows from removed`,
  },
  mysql: {
    there,
    create: `${create} character set utf8mb4`,
    // INSERT IGNORE would also ignore other errors.
    claim: `insert into apikiln_schedule (${columns}) values (?, ?, ?, ?, ?)`,
    holder: 'select claimed_by from apikiln_schedule where tick = ? and job = ?',
    clean: `delete from apikiln_schedule where tick < ? order by tick, job limit ${removedAtOnce}`,
  },
} as const;
