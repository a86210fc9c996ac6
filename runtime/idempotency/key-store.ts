/** Stores the responses of requests with an idempotency key in a table, within the transactions of their changes. */
import type { Call } from '../handler/call.js';
import { textOf, type Row } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { timedCall } from '../schedule/timed-run.js';
import type { Log } from '../server/log.js';
import type { DatabaseDatasource } from '../sql/datasource.js';
import { OwnTable, timeLimit } from '../sql/own-table.js';
import type { Statement } from '../sql/statement.js';
import { DatasourceTransaction } from '../transactions/datasource-transaction.js';
import { SharedTransaction } from '../transactions/transaction.js';
import { keyStatements, keyTables, type KeyStatements } from './statements.js';

/** The members of a database datasource that the store uses. */
type Database = Pick<DatabaseDatasource, 'name' | 'kind' | 'use' | 'context'>;

/** Creates the store of a database. Its table is created when the service starts. */
export function keyStore(database: Database): KeyStore {
  return new KeyStore(database);
}

/** A key in the table: digests of operation, caller and key, and of the request. */
export interface ClaimedKey {
  readonly id: string;
  readonly request: string;
  /** Milliseconds for which the key is kept. */
  readonly keep: number;
}

/** The first request of a key. */
export interface Stored {
  readonly request: string;
  /** The response. */
  readonly response: string;
}

export class KeyStore {
  private readonly statements: Readonly<
    Record<Exclude<keyof KeyStatements, 'lock' | 'release' | 'clean'>, Statement>
  >;
  /** The lock of a session, where locks of a transaction do not exist. */
  private readonly lock: { readonly take: Statement; readonly release: Statement } | undefined;
  /** Ends the role of the datasource in a transaction; undefined without a context. */
  private readonly resetRole: Statement | undefined;
  private readonly own: OwnTable<unknown>;

  constructor(private readonly database: Database) {
    const texts = keyStatements[database.kind];
    const definition = {
      operation: 'idempotency',
      content: 'idempotency keys',
      texts: keyTables(database.kind),
      clean: texts.clean,
      unavailable: 'idempotency keys cannot be stored yet',
      uncleaned: 'expired idempotency keys were not removed',
    };
    this.own = new OwnTable(database, definition, () => this.prepare());
    const { read, update } = this.own.statements;
    this.statements = {
      there: read(texts.there),
      claim: update(texts.claim),
      find: read(texts.find),
      complete: update(texts.complete),
    };
    this.lock =
      texts.lock === undefined || texts.release === undefined
        ? undefined
        : { take: read(texts.lock), release: read(texts.release) };
    this.resetRole = database.context === undefined ? undefined : update('reset role');
  }

  /**
   * Creates the table if it is missing, and deletes expired rows. If the database is not available, the table is created with the first
   * request. Throws a StartError if the database refuses.
   */
  async open(log: Log): Promise<void> {
    if (await this.own.open(log)) this.own.cleanInBackground();
  }

  /** Finds or creates the table. Throws a ServiceError. */
  async prepared(): Promise<void> {
    await this.own.prepared();
  }

  /** The values of the context of the database, which separate its rows. Throws a ServiceError 403. */
  contextOf(call: Call): readonly string[] {
    return this.database.context?.of(call).values ?? [];
  }

  /**
   * Claims the key in the transaction of the call, as its first statement. Returns the first request of the key if it has been committed;
   * `busy` if it is in progress; `unknown` if a statement of it has committed before the response was stored; undefined if the key was
   * free. Never waits for another transaction that holds the key.
   */
  async claim(call: Call, key: ClaimedKey): Promise<Stored | 'busy' | 'unknown' | undefined> {
    let isBusy: boolean | undefined;
    try {
      isBusy = await this.isBusy(call, key);
      if (isBusy === false) return undefined;
    } catch (error) {
      this.own.noteError(error);
      throw error;
    }
    const [row] = await this.statements.find(call, [key.id]);
    const response = row?.['response'] ?? null;
    if (row === undefined) return 'busy';
    return response === null
      ? isBusy === true
        ? 'busy'
        : 'unknown'
      : { request: textOf(row['request']), response: textOf(response) };
  }

  /** Stores the response in the transaction of the call, as its last statement. */
  async complete(call: Call, { id }: ClaimedKey, response: string): Promise<void> {
    // A statement of the operation may have set the role, which has no rights on the table.
    await this.resetRole?.(call);
    const rows = await this.statements.complete(call, [response, id]);
    if (this.database.kind === 'mysql' && Number(rows[0]?.['affected_rows']) !== 1)
      throw new ServiceError(500, 'Internal server error', {
        log: { datasource: this.database.name, reason: 'the row of an idempotency key is missing' },
      });
  }

  /** Deletes expired rows, at most once a minute. */
  cleanNowAndThen(): void {
    this.own.cleanNowAndThen();
  }

  /** Deletes expired rows. */
  clean(): Promise<void> {
    return this.own.clean();
  }

  /** False if the row was inserted; true if another transaction may hold the key; undefined if no other transaction does, and a row exists. */
  private async isBusy(call: Call, { id, request, keep }: ClaimedKey): Promise<boolean | undefined> {
    if (this.lock === undefined) return (await this.statements.claim(call, [id, request, keep])).length !== 1;
    if (!(await this.locked(call, id, this.lock))) return true;
    const [row] = await this.statements.claim(call, [id, request, keep]);
    return Number(row?.['insert_id'] ?? 0) === 2 ? undefined : false;
  }

  /** Takes the lock of the session until the transaction has ended. Returns false if another session has it. */
  private async locked(
    call: Call,
    id: string,
    { take, release }: NonNullable<KeyStore['lock']>,
  ): Promise<boolean> {
    const [row] = await take(call, [id]);
    if (Number(row?.['is_free']) !== 1) return false;
    const { transaction } = call;
    const part = transaction instanceof SharedTransaction && transaction.parts.get(this.database.use());
    if (!(part instanceof DatasourceTransaction))
      throw new Error('a key is claimed outside of a transaction');
    part.afterEnd(release.runner.queryOf(timedCall(timeLimit), [id]), isReleased);
    return true;
  }

  private prepare(): Promise<unknown> {
    return this.own.findOrCreate(() => this.statements.there(timedCall(timeLimit), []));
  }
}

function isReleased([row]: readonly Row[]): boolean {
  return Number(row?.['is_released']) === 1;
}
