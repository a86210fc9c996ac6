/** The schedule ledger: the instance that inserts the row of a tick runs it, so that it runs once. */
import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Call } from '../handler/call.js';
import { describeFailure, type Log } from '../server/log.js';
import type { Json, Row } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { ledgerStatements } from './ledger-statements.js';
import { timedCall } from './timed-run.js';

/** As much of a database datasource as the ledger needs. */
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
  readonly retry?: false;
}

/** What ticks. */
export interface TickOwner {
  readonly operation: string;
  readonly trigger: string;
}

/** Milliseconds for one attempt to claim a tick. */
const claimTimeout = 5_000;

/** Milliseconds between two attempts to make the table. */
const pause = 5_000;

/** Milliseconds. Clocks of instances may differ by much less than rows are kept. */
const hour = 3_600_000;
const rowsKept = 24 * hour;

/**
 * A tick goes by its own time, so clocks that differ by seconds neither double nor lose one. Never twice is worth more here
 * than never lost: a tick that nobody can claim, and one whose holder dies, are not run. Runs of different ticks on different
 * instances may overlap.
 */
export class TickLedger {
  private readonly statements;
  /** Tells this process from all others. */
  private readonly instance = `${hostname().slice(0, 100)} ${process.pid} ${randomUUID()}`;
  private prepared = false;
  private cleaned = -Infinity;
  private readonly closing = new AbortController();

  constructor(
    database: LedgerDatabase,
    private readonly log: Log,
  ) {
    const place = { operation: 'SCHEDULE_LEDGER', fulfillment: database.name };
    const { there, create, claim, holder, clean } = ledgerStatements[database.kind];
    // Each on a connection of its own, as the change before or behind it.
    this.statements = {
      there: database.read({ ...place, sql: there, retry: false }),
      create: database.update({ ...place, sql: create }),
      claim: database.update({ ...place, sql: claim }),
      holder: database.read({ ...place, sql: holder, retry: false }),
      clean: database.update({ ...place, sql: clean }),
    };
  }

  /** Makes the table where it is missing, as soon as the database answers. Never fails. */
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
   * True when this instance is the one to run the tick. Throws a ServiceError when the ledger cannot say: the tick is not
   * to be run then, because another instance may have it.
   */
  async claim(owner: TickOwner, tick: Date): Promise<boolean> {
    try {
      return await this.insert(owner, tick);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.status < 503 && error.details.outcome !== 'unknown') throw error;
    }
    // The first attempt may have come through, although its answer did not.
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
      // MySQL says so when the row is there already; PostgreSQL gives no row.
      if (error instanceof ServiceError && error.status === 409) return false;
      // Should somebody have removed the table, it is made again.
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
      // Only when it is not there: a user who may not make tables can still use one.
      await this.create(call);
    }
    this.prepared = true;
  }

  private async create(call: Call): Promise<void> {
    try {
      await this.statements.create(call, []);
    } catch (error) {
      // PostgreSQL says so to one of two who make it at the same moment.
      if (!(error instanceof ServiceError) || error.status !== 409) throw error;
      await this.statements.there(call, []);
    }
  }

  private cleanNowAndThen(tick: Date): void {
    const time = tick.getTime();
    if (Math.abs(time - this.cleaned) < hour) return;
    this.cleaned = time;
    const oldest = new Date(time - rowsKept).toISOString();
    this.statements.clean(timedCall(claimTimeout), [oldest]).catch((error: unknown) => {
      this.log.warn(describeFailure(error), 'old rows of the schedule ledger were not removed');
    });
  }
}

/**
 * What is taken once: the tick's own time, and a digest of its owner. Names can be of any length and differ by letter case
 * only; collations and key lengths of databases do not reach that far.
 */
function keyOf({ operation, trigger }: TickOwner, tick: Date): [tick: string, job: string] {
  const job = createHash('sha256')
    .update(JSON.stringify([operation, trigger]))
    .digest('hex');
  return [tick.toISOString(), job];
}
