/** Counts requests in a table of a database, for all processes that use it together. */
import { createHmac, randomBytes } from 'node:crypto';
import { textOf, type Row } from '../handler/json.js';
import { ServiceError, type ServiceErrorDetails } from '../handler/reply.js';
import { register, type Counted, type Exceeded, type Forgetful } from '../limits/counters.js';
import type { SharedCounts } from '../limits/limits.js';
import { timedCall } from '../schedule/timed-run.js';
import type { Log } from '../server/log.js';
import type { DatabaseDatasource } from '../sql/datasource.js';
import { RecentMap } from '../sql/rows.js';
import { OwnTable, timeLimit } from '../sql/own-table.js';
import type { Statement } from '../sql/statement.js';
import { limitStatements, limitTable } from './statements.js';

/** The members of a database datasource that the store uses. */
type Database = Pick<DatabaseDatasource, 'name' | 'kind' | 'use'>;

/** Creates the store of a database. Its table is created when the service starts. */
export function limitStore(database: Database): LimitStore {
  return new LimitStore(database);
}

/** Maximum number of keys that are known to be over their limit. */
const maxKnown = 50_000;
/** Milliseconds for which a key stays known to be over its limit, if its requests may be given back by other processes. */
const shortTime = 1_000;
/** How often a count is tried again that a deadlock has rolled back. */
const maxConflicts = 5;

/** A key that is over its limit. Times are in milliseconds of `performance.now()`. */
interface OverLimit {
  /** When the database is asked again. */
  readonly until: number;
  /** When its window ends. */
  readonly end: number;
}

export class LimitStore implements SharedCounts, Forgetful {
  private readonly statements: Readonly<
    Record<Exclude<keyof (typeof limitStatements)['postgresql'], 'clean'>, Statement>
  >;
  private readonly known = new RecentMap<string, OverLimit>(maxKnown);
  /** The table, whose preparation returns the key of the digests. */
  private readonly own: OwnTable<string>;

  constructor(private readonly database: Database) {
    register(this);
    const texts = limitStatements[database.kind];
    const definition = {
      operation: 'limits',
      content: 'limits',
      texts: [limitTable(database.kind)],
      clean: texts.clean,
      unavailable: 'limits cannot be counted yet',
      uncleaned: 'ended windows of limits were not removed',
    };
    this.own = new OwnTable(database, definition, () => this.prepare());
    const { read, update } = this.own.statements;
    this.statements = {
      secret: read(texts.secret),
      addSecret: update(texts.addSecret),
      count: update(texts.count),
      timeLeft: read(texts.timeLeft),
      giveBack: update(texts.giveBack),
    };
  }

  /**
   * Creates the table if it is missing. If the database is not available, the table is created when a request is counted. Throws a
   * StartError if the database refuses.
   */
  async open(log: Log): Promise<void> {
    await this.own.open(log);
  }

  async take(
    key: string,
    times: number,
    milliseconds: number,
    isReturned: boolean,
  ): Promise<Counted | Exceeded> {
    try {
      const id = createHmac('sha256', await this.own.prepared())
        .update(key)
        .digest('base64url');
      const known = this.known.get(id);
      const now = performance.now();
      if (known !== undefined && now < known.until) return { timeLeft: known.end - now };
      const row = await this.count(id, times, milliseconds);
      this.own.cleanNowAndThen();
      const end = textOf(row['window_end']);
      if (row['is_over'] !== true) return { giveBack: () => void this.giveBack(id, end) };
      const timeLeft = Math.min(milliseconds, Math.max(0, await this.timeLeftOf(row, id)));
      const until = now + (isReturned ? Math.min(timeLeft, shortTime) : timeLeft);
      this.known.set(id, { until, end: now + timeLeft });
      return { timeLeft };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.own.noteError(error);
      throw unavailable(this.database.name, error.details);
    }
  }

  /** Forgets which keys are over their limit. */
  forget(): void {
    this.known.clear();
  }

  private async count(id: string, times: number, milliseconds: number): Promise<Row> {
    const values =
      this.database.kind === 'postgresql'
        ? [id, milliseconds, times]
        : [id, milliseconds, milliseconds, times, milliseconds];
    for (let conflicts = 0; ; conflicts += 1) {
      try {
        const [row = {}] = await this.statements.count(timedCall(timeLimit), values);
        return this.database.kind === 'postgresql' ? row : outcomeOf(row);
      } catch (error) {
        const isConflict = error instanceof ServiceError && error.details.outcome === 'conflict';
        if (!isConflict || conflicts === maxConflicts) throw error;
      }
    }
  }

  private async timeLeftOf(row: Row, id: string): Promise<number> {
    const [found = row] =
      row['time_left'] === undefined ? await this.statements.timeLeft(timedCall(timeLimit), [id]) : [row];
    return Number(found['time_left'] ?? 0);
  }

  /** A count that cannot be given back stays: the limit is then stricter, never looser. */
  private async giveBack(id: string, end: string): Promise<void> {
    this.known.set(id, { until: 0, end: 0 });
    await this.statements.giveBack(timedCall(timeLimit), [id, end]).catch((error: unknown) => {
      this.own.warn('a request stays counted by a limit', error);
    });
  }

  /** Creates the table and the key of the digests if they are missing. */
  private async prepare(): Promise<string> {
    const found = await this.own.findOrCreate(() => this.find());
    if (found !== undefined) return found;
    await this.statements.addSecret(timedCall(timeLimit), [randomBytes(32).toString('base64url')]);
    const added = await this.find();
    if (added === undefined) throw new Error('the key of the limits was not stored');
    return added;
  }

  private async find(): Promise<string | undefined> {
    const [row] = await this.statements.secret(timedCall(timeLimit), []);
    return row === undefined ? undefined : textOf(row['secret']);
  }

  /** Deletes the rows of ended windows. */
  clean(): Promise<void> {
    return this.own.clean();
  }
}

function unavailable(datasource: string, { log, cause }: ServiceErrorDetails): ServiceError {
  const reason = 'a limit cannot count the request';
  return new ServiceError(503, 'The service is busy', { log: { datasource, ...log, reason }, cause });
}

/** MySQL and MariaDB return the outcome as an id: the end of the window, doubled, and one more for a request over the limit. */
function outcomeOf(row: Row): Row {
  const id = BigInt(textOf(row['insert_id'] ?? 0));
  return { window_end: String(id >> 1n), is_over: (id & 1n) === 1n };
}
