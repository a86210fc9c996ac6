/** A table that the runtime keeps in a database for itself: how it is created, and how old rows are deleted. Times are milliseconds. */
import { timedCall } from '../schedule/timed-run.js';
import { StartError } from '../server/environment.js';
import { describeFailure, type Log } from '../server/log.js';
import type { DatabaseDatasource } from './datasource.js';
import { ownStatements, type OwnStatements } from './own-statements.js';
import { isRefusal } from './refusal.js';
import type { Statement } from './statement.js';

/** The members of a database datasource that the table uses. */
type Database = Pick<DatabaseDatasource, 'name' | 'kind' | 'use'>;

/** Maximum number of rows that one statement deletes. */
export const removedAtOnce = 1_000;

/** Time limit of a statement outside of transactions. */
export const timeLimit = 5_000;
/** Time between two deletions of old rows. */
const cleaning = 60_000;

interface OwnTableDefinition {
  /** The name of the statements in logs. */
  readonly operation: string;
  /** The content of the table: `limits`. */
  readonly content: string;
  /** The statements that create the table, each of which has no effect if it has run before. */
  readonly texts: readonly string[];
  /** The statement that deletes at most `removedAtOnce` old rows. */
  readonly clean: string;
  /** Log messages for a database that is not available when the service starts, and for rows that are not deleted. */
  readonly unavailable: string;
  readonly uncleaned: string;
}

/** `Prepared`: the result of preparing the table. */
export class OwnTable<Prepared> {
  readonly statements: OwnStatements;
  private readonly deletion: Statement;
  /** Settles when the table has been prepared. */
  private preparing: Promise<Prepared> | undefined;
  private cleaned = performance.now();
  private log: Pick<Log, 'warn'> | undefined;

  constructor(
    private readonly database: Database,
    private readonly definition: OwnTableDefinition,
    /** Finds or creates the table. */
    private readonly prepare: () => Promise<Prepared>,
  ) {
    this.statements = ownStatements(database, definition.operation);
    this.deletion = this.statements.update(definition.clean);
  }

  /**
   * Prepares the table when the service starts, and returns whether this was successful. If the database is not available, the table is
   * prepared with the first request. Throws a StartError if the database refuses.
   */
  async open(log: Log): Promise<boolean> {
    this.log = log;
    try {
      await this.prepared();
      return true;
    } catch (error) {
      const { content, texts, unavailable } = this.definition;
      if (!isRefusal(error)) {
        this.warn(unavailable, error);
        return false;
      }
      const code = error.details.log?.['code'];
      throw new StartError([
        `the table of ${content} cannot be made in ${this.database.name}${code === undefined ? '' : ` (${code})`}; run this there as a user who may, and grant select, insert, update and delete to the user of the datasource:\n\n${texts.join(';\n')};\n`,
      ]);
    }
  }

  /** Prepares the table, once for all requests that wait for it. Throws a ServiceError. */
  prepared(): Promise<Prepared> {
    if (this.preparing !== undefined) return this.preparing;
    const preparing = this.prepare();
    this.preparing = preparing;
    preparing.catch(() => {
      if (this.preparing === preparing) this.preparing = undefined;
    });
    return preparing;
  }

  /** Notes the error of a statement: the table may have been dropped, and is then prepared again. */
  noteError(error: unknown): void {
    if (isRefusal(error)) this.preparing = undefined;
  }

  /**
   * Reads the table with `find`, or creates it and returns undefined. It is read first, because a user without the privilege to create tables
   * can use an existing table.
   */
  async findOrCreate<Found>(find: () => Promise<Found>): Promise<Found | undefined> {
    try {
      return await find();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      for (const text of this.definition.texts) await this.create(text);
      return undefined;
    }
  }

  /** Deletes old rows in the background, at most once a minute. */
  cleanNowAndThen(): void {
    if (performance.now() - this.cleaned >= cleaning) this.cleanInBackground();
  }

  cleanInBackground(): void {
    this.cleaned = performance.now();
    this.clean().catch((error: unknown) => {
      this.warn(this.definition.uncleaned, error);
    });
  }

  /** Deletes old rows. */
  async clean(): Promise<void> {
    for (let removed = removedAtOnce; removed === removedAtOnce;) {
      const [row] = await this.deletion(timedCall(timeLimit), []);
      removed = Number(row?.['affected_rows'] ?? 0);
    }
  }

  warn(message: string, error: unknown): void {
    this.log?.warn({ datasource: this.database.name, ...describeFailure(error) }, message);
  }

  private async create(text: string): Promise<void> {
    const statement = this.statements.update(text, false);
    try {
      await statement(timedCall(timeLimit), []);
    } catch (error) {
      // PostgreSQL reports an error if another process creates the table at the same time.
      if (isRefusal(error)) await statement(timedCall(timeLimit), []);
      else throw error;
    }
  }
}
