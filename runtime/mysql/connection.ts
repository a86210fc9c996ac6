/** A MySQL or MariaDB connection. Statements are always prepared, because the driver's alternative inserts values into the SQL string. */
import type { Socket } from 'node:net';
import { type Connection, createConnection } from 'mysql2';
import type { Row } from '../handler/json.js';
import { integerValue } from '../sql/column-values.js';
import type {
  DriverConnection,
  Query,
  QueryCallback,
  StatementBlock,
  TransactionCommand,
} from '../sql/driver.js';
import { DatabaseFailure, isWithoutConnection, notRun } from '../sql/failure.js';
import { RecentMap } from '../sql/rows.js';
import {
  changesDatabase,
  prepare,
  rowsOf as arrivedRows,
  socketOf,
  statusOf,
  type Prepared,
} from './driver-internals.js';
import { blockOf, blockText, mostInBlock, MysqlBlock, type BoundQuery } from './block.js';
import { areKept, areOfTables } from './elements.js';
import { execute, type ExecutionResult } from './execution.js';
import { isMysqlError, mysqlFailure } from './failure.js';
import type { MysqlParameter } from './parameter.js';
import {
  pingMysql,
  resetMysql,
  runMysqlCommand,
  withoutLimits,
  type MysqlSession,
  clientOf,
  describeSession,
} from './session.js';
import { parametersOf, ValueColumnTypes, withRefusedValue, type Binders } from './value-columns.js';

/**
 * Statements with longer lists are prepared for a single execution: with 60,000 values, a prepared statement takes 30 MB of server
 * memory.
 */
const longList = 256;

/** Milliseconds before a table is checked again, because it may have been replaced by a view. */
const lifetime = 60_000;

/** A statement cached by a connection. */
interface KeptStatement {
  readonly text: string;
  prepared?: Prepared | undefined;
  /** Callbacks that wait for the statement to be prepared; undefined if it has not been sent. */
  waiting?: ((error: unknown) => void)[] | undefined;
  /** Whether the statement has been removed from the cache. */
  isForgotten: boolean;
  /** Whether the server has refused to prepare the statement, a block. */
  isRefused?: true;
  /** Set if the statement is also run for several elements: whether all columns belong to tables, and have types preserved by a UNION. */
  tables?: { readonly areTables: boolean; readonly until: number };
}

/** One run of a statement. */
interface Run {
  readonly query: Query;
  readonly values: readonly MysqlParameter[];
  readonly done: QueryCallback;
  /** Whether an earlier run failed because of an outdated preparation. */
  readonly isSecond: boolean;
  /** The statement for one element, if this statement is for several elements. */
  readonly one?: Prepared;
}

export class MysqlConnection implements DriverConnection {
  readonly socket: Socket;
  /** Always true in a session without autocommit. */
  transactionOpen: boolean | undefined;
  /** Whether the session has state that survives a reset. COM_CHANGE_USER restores the database, but on MariaDB keeps the rest. */
  isChanged = false;
  /** Set if the current database of the session differs from other connections of the datasource. */
  private ownColumns: ValueColumnTypes | undefined;
  private readonly statements: RecentMap<string, KeptStatement>;
  /** Number of blocks run in this session. */
  private blocks = 0;
  /** Statements already run in this transaction: their tables cannot be changed before the transaction ends. */
  private readonly held = new Set<string>();

  /** `settings` are driver options; `keptStatements` is the maximum number of prepared statements, in this process and on the server. */
  constructor(
    private readonly connection: Connection,
    private session: MysqlSession,
    private readonly settings: Readonly<Record<string, unknown>>,
    private readonly startSession: () => Promise<MysqlSession>,
    private readonly sharedColumns: ValueColumnTypes,
    keptStatements: number,
  ) {
    this.statements = new RecentMap(keptStatements, forget);
    this.socket = socketOf(connection);
  }

  private get columns(): ValueColumnTypes {
    return this.ownColumns ?? this.sharedColumns;
  }

  get rows(): number {
    return arrivedRows(this.connection);
  }

  onError(listener: (error: unknown) => void): void {
    this.connection.on('error', listener);
  }

  async command(command: TransactionCommand): Promise<void> {
    if (!/savepoint$/.test(command) || command === 'rollback to savepoint') this.held.clear();
    this.note(await runMysqlCommand(this.connection, commands[command]));
  }

  async reset(): Promise<void> {
    const { kept } = this.session;
    // The reset also deletes prepared statements on the server.
    this.statements.clear();
    this.ownColumns = undefined;
    await resetMysql(this.connection);
    this.session = await this.startSession();
    this.isChanged ||= this.session.kept !== kept;
  }

  ping(): Promise<void> {
    return pingMysql(this.connection);
  }

  async passOn<Result>(run: (client: unknown) => Promise<Result>): Promise<Result> {
    const result = await run(this.connection);
    this.note(Array.isArray(result) ? result[0] : result);
    return result;
  }

  cancel(): Promise<void> {
    return cancelOnMysql(this.connection, this.session, this.settings);
  }

  end(): Promise<void> {
    return new Promise((resolve) => {
      this.connection.end(() => {
        resolve();
      });
    });
  }

  /** Avoids creating promises, because it runs for every statement of a shared connection. */
  start(query: Query, done: QueryCallback): void {
    if (query.onRow === undefined) this.look(query, done);
    else void this.startUnlimited(query, done);
  }

  block(queries: readonly Query[]): StatementBlock | undefined {
    if (!this.session.runsBlocks) return undefined;
    const bound = blockOf(this.boundOf(queries.slice(0, mostInBlock)));
    const text = blockText(bound);
    if (bound.length < 2 || this.statements.get(text)?.isRefused === true) return undefined;
    const statement = this.kept(text);
    return new MysqlBlock(bound, {
      connection: this.connection,
      text,
      number: (this.blocks += 1),
      prepare: (then) => {
        if (statement.prepared === undefined)
          this.prepare(statement, (error) => {
            if (statement.prepared === undefined) statement.isRefused = true;
            then(error, statement.prepared);
          });
        else then(undefined, statement.prepared);
      },
      ended: (outcome) => {
        this.note(outcome);
      },
      lost: () => {
        statement.prepared = undefined;
      },
    });
  }

  /** The first statements whose values match their columns, which this transaction has already written to. */
  private boundOf(queries: readonly Query[]): BoundQuery[] {
    const bound: BoundQuery[] = [];
    for (const query of queries) {
      const binders = this.columns.known(query, this.held.has(query.text));
      if (binders === undefined) break;
      try {
        bound.push({ query, binders, values: parametersOf(query, binders) });
      } catch {
        // Reported when it is the turn of the statement.
        break;
      }
    }
    return bound;
  }

  /** Removes the session limits during one statement. */
  private async startUnlimited(query: Query, done: QueryCallback): Promise<void> {
    const [before, behind] = withoutLimits(this.session);
    try {
      await runMysqlCommand(this.connection, before);
    } catch (error) {
      done(error);
      return;
    }
    this.look(query, (...result) => {
      const over = (): void => {
        done(...result);
      };
      // If resetting the limits fails, the connection has ended.
      runMysqlCommand(this.connection, behind).then(over, over);
    });
  }

  private look(query: Query, done: QueryCallback): void {
    const binders = this.columns.known(query, query.inTransaction === true && this.held.has(query.text));
    if (binders !== undefined) this.bind(query, binders, done);
    else if (query.inOrder === true) done(notYet());
    else {
      this.columns.look(this.connection, query).then(
        (found) => {
          this.bind(query, found, done);
        },
        (error: unknown) => {
          done(neverRun(error, query));
        },
      );
    }
  }

  private bind(query: Query, binders: Binders, done: QueryCallback): void {
    let values: readonly MysqlParameter[];
    try {
      values = parametersOf(query, binders);
    } catch (misfit) {
      done(misfit);
      return;
    }
    const run = { query, values, isSecond: false };
    this.run({
      ...run,
      done: (error, rows) => {
        if (rows !== undefined && query.inTransaction === true && query.columns !== undefined)
          this.held.add(query.text);
        done(rows === undefined ? withRefusedValue(error, query, binders) : error, rows);
      },
    });
  }

  private run(run: Run): void {
    const { query, done } = run;
    if (query.eachOf !== undefined && run.one === undefined) {
      this.columnsOf(query, query.eachOf).then((one) => {
        this.run({ ...run, one });
      }, done);
      return;
    }
    const statement = this.statementOf(query);
    if (statement.prepared !== undefined) {
      this.execute(statement, statement.prepared, run);
      return;
    }
    if (query.inOrder === true) {
      done(notYet());
      this.prepare(statement, () => undefined);
      return;
    }
    this.prepare(statement, (error) => {
      if (statement.prepared === undefined) this.failed(statement, run, neverRun(error, query));
      else this.execute(statement, statement.prepared, run);
    });
  }

  private execute(statement: KeptStatement, prepared: Prepared, run: Run): void {
    const { query, values, done, one } = run;
    const executed = one === undefined ? query : { ...query, one };
    execute(this.connection, prepared, executed, values, (error, result) => {
      if (result === undefined) this.failed(statement, run, error);
      else {
        this.note(result.outcome);
        done(undefined, rowsOf(query, result));
      }
    });
  }

  /**
   * The statement for one element, whose columns must match those of the statement for several elements. Throws if a UNION could change
   * the values.
   */
  private async columnsOf(query: Query, text: string): Promise<Prepared> {
    const one = this.statementOf({ ...query, text });
    const prepared = one.prepared ?? (await this.preparedNow(one));
    if (one.tables === undefined || one.tables.until < performance.now()) {
      const { columns } = prepared;
      const mayBe = !this.session.cutsRows && areKept(columns);
      const areTables = mayBe && (await areOfTables(this.connection, columns));
      one.tables = { areTables, until: performance.now() + lifetime };
    }
    if (!one.tables.areTables) throw new DatabaseFailure({ kind: 'unexpected', reason: 'not of tables' });
    return prepared;
  }

  private failed(statement: KeptStatement, run: Run, error: unknown): void {
    const isStale = isMysqlError(error, staleStatements);
    const hasNoRoom = isMysqlError(error, [tooManyStatements]);
    if (isStale) {
      statement.prepared?.close();
      statement.prepared = undefined;
    }
    // Releases the server memory used by statements of this connection.
    if (hasNoRoom) this.statements.clear();
    const { query, isSecond, done } = run;
    // A procedure may already have had effects. Otherwise, the server rejects the statement before running it.
    const mayRunAgain = query.atomic && query.inOrder !== true && !isSecond;
    if (mayRunAgain && (isStale || hasNoRoom)) this.run({ ...run, isSecond: true });
    else done(error);
  }

  /**
   * Records the server status after a statement. Rows do not include a status: a statement that returns rows cannot begin or end a
   * transaction, and procedures, which can, end with a separate result after the rows.
   */
  private note(result: unknown): void {
    if (changesDatabase(result)) this.ownColumns = new ValueColumnTypes();
    const status = statusOf(result);
    // Without autocommit, the next statement would begin a transaction.
    if (status !== undefined)
      this.transactionOpen = (status & inTransaction) !== 0 || (status & autocommit) === 0;
  }

  private statementOf({ text, values, once }: Query): KeptStatement {
    return once === true || values.length > longList ? { text, isForgotten: true } : this.kept(text);
  }

  private kept(text: string): KeptStatement {
    let statement = this.statements.get(text);
    if (statement === undefined) {
      statement = { text, isForgotten: false };
      this.statements.set(text, statement);
    }
    return statement;
  }

  private preparedNow(statement: KeptStatement): Promise<Prepared> {
    return new Promise((resolve, reject) => {
      this.prepare(statement, (error) => {
        if (statement.prepared === undefined) reject(error instanceof Error ? error : notYet());
        else resolve(statement.prepared);
      });
    });
  }

  /** Prepares the statement once for all callers that wait for it. */
  private prepare(statement: KeptStatement, then: (error: unknown) => void): void {
    if (statement.waiting !== undefined) {
      statement.waiting.push(then);
      return;
    }
    const waiting = [then];
    statement.waiting = waiting;
    prepare(this.connection, statement.text, (error, prepared) => {
      statement.waiting = undefined;
      statement.prepared = prepared;
      for (const one of waiting) one(error);
      // Runs after the statements sent by these callers.
      if (statement.isForgotten) forget(statement);
    });
  }
}

/** The failure of a statement that has not been prepared: later statements would overtake it, so it is retried when it is its turn. */
function notYet(): DatabaseFailure {
  return new DatabaseFailure({ kind: 'unexpected', reason: 'not prepared yet' });
}

function forget(statement: KeptStatement): void {
  statement.isForgotten = true;
  statement.prepared?.close();
  statement.prepared = undefined;
}

/** The failure of a query that must precede the statement. Even if the connection ended, the statement was not sent. */
function neverRun(error: unknown, { text }: Query): unknown {
  if (error instanceof DatabaseFailure) return error;
  const failure = mysqlFailure(error, text);
  return isWithoutConnection(failure) ? new DatabaseFailure(notRun(failure), error) : error;
}

/** ER_NEED_REPREPARE, ER_UNKNOWN_STMT_HANDLER. */
const staleStatements = [1615, 1243];

/** ER_MAX_PREPARED_STMT_COUNT_REACHED: the limit applies to the whole server. */
const tooManyStatements = 1461;

function rowsOf({ use }: Query, { rows, outcome }: ExecutionResult): Row[] {
  if (rows !== undefined) return rows;
  if (use === 'read' || outcome === undefined) return [];
  const id = BigInt(outcome.insertId);
  return [
    {
      // The driver returns the upper half of BIGINT UNSIGNED as negative numbers.
      insert_id: id === 0n ? null : integerValue(String(BigInt.asUintN(64, id))),
      affected_rows: outcome.affectedRows,
    },
  ];
}

/** SERVER_STATUS_IN_TRANS and SERVER_STATUS_AUTOCOMMIT. */
const inTransaction = 1;
const autocommit = 2;

const commands: Readonly<Record<TransactionCommand, string>> = {
  begin: 'START TRANSACTION',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  savepoint: 'SAVEPOINT before_statement',
  'release savepoint': 'RELEASE SAVEPOINT before_statement',
  'rollback to savepoint': 'ROLLBACK TO SAVEPOINT before_statement',
};

/** Maximum milliseconds for cancelling a statement. Afterwards, only the time limit of the server applies. */
const timeLimit = 500;

/**
 * Sends KILL QUERY for the session of the connection. Through a load balancer, a new connection can reach another server, where the
 * session id may belong to another client. Therefore, the command is only sent if the server, the id and the client address match those
 * recorded at the start of the session. Resolves when the statement is cancelled, or cancelling is unnecessary or impossible; never
 * fails.
 */
export function cancelOnMysql(
  connection: Connection,
  session: MysqlSession,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  // If the handshake contained a different id, a proxy is between this process and the server.
  if (session.client === '' || session.id !== String(connection.threadId)) {
    return Promise.resolve();
  }
  const killer = createConnection(settings);
  const kill = async (): Promise<void> => {
    const { server } = await describeSession(killer);
    const isSame =
      server.hostname === session.server.hostname &&
      server.port === session.server.port &&
      server.serverId === session.server.serverId;
    if (!isSame || (await clientOf(killer, session.id)) !== session.client) return;
    await runMysqlCommand(killer, `KILL QUERY ${session.id}`);
  };
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      killer.destroy();
      resolve();
    };
    const timer = setTimeout(end, timeLimit);
    killer.on('error', end);
    kill().then(end, end);
  });
}
