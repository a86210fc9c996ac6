/** Runs the statements of a database datasource: deadlines, one retry where it is safe, and failures by their kind. */
import type { Call, Transaction } from '../call.js';
import type { Json, Row } from '../json.js';
import type { ConnectionCounts } from '../observer.js';
import { ServiceError } from '../service-error.js';
import { bindValues } from './bind.js';
import { readConnectionSettings } from './connection-settings.js';
import type {
  DatabaseDatasource,
  DatabaseDefinition,
  DatabaseSettings,
  Statement,
  StatementDefinition,
} from './database.js';
import { DatasourceTransaction } from './datasource-transaction.js';
import type { DatabaseSystem, Query } from './driver.js';
import { acquire, execute, type Opened } from './execution.js';
import { DatabaseFailure, failureError } from './failure.js';
import type { DatabaseKind } from './jdbc-url.js';
import { renderSql } from './markers.js';
import { ConnectionPool } from './pool.js';
import type { SqlTemplate } from './sql.js';

/** The server ends a statement that takes too long; we wait a little longer, so that it is the one to say so. */
const patience = 500;

const pingTimeout = 2_000;

/** What one run of a statement has to know besides the statement. */
interface Run {
  readonly retry: boolean;
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Throws when there is no sense in going on. */
  proceed(): void;
}

export class Datasource<Connection extends object> implements DatabaseDatasource {
  readonly name: string;
  readonly kind: DatabaseKind;
  private opened: Opened<Connection> | undefined;
  private readonly transactions = new WeakMap<Transaction, DatasourceTransaction<Connection>>();

  constructor(
    private readonly system: DatabaseSystem<Connection>,
    private readonly definition: DatabaseDefinition,
  ) {
    this.name = definition.name;
    this.kind = system.kind;
  }

  open(settings: DatabaseSettings): readonly string[] {
    const { connection, warnings } = readConnectionSettings(this.system.kind, this.definition, settings);
    const driver = this.system.driver(connection);
    this.opened = {
      driver,
      pool: new ConnectionPool(driver),
      timeout: connection.statementTimeout + patience,
    };
    return warnings;
  }

  async close(deadline: number): Promise<void> {
    await this.opened?.pool.close(deadline);
  }

  async ping(): Promise<void> {
    const deadline = performance.now() + pingTimeout;
    const query: Query = { text: 'SELECT 1', values: [], use: 'read' };
    try {
      await this.run(query, { retry: true, deadline, proceed: () => undefined });
    } catch (error) {
      throw new ServiceError(503, 'The database is not available', { cause: error });
    }
  }

  async isReachable(): Promise<boolean> {
    const { pool } = this.use();
    // One more statement could only wait with the others.
    if (pool.isBusy) return true;
    try {
      await this.ping();
      return true;
    } catch {
      return pool.isBusy;
    }
  }

  connections(): ConnectionCounts {
    return this.use().pool.counts;
  }

  read(definition: StatementDefinition): Statement {
    return this.statement(definition, 'read');
  }

  update(definition: StatementDefinition): Statement {
    return this.statement(definition, 'update');
  }

  private statement(definition: StatementDefinition, use: Query['use']): Statement {
    const place = {
      datasource: this.name,
      operation: definition.operation,
      fulfillment: definition.fulfillment,
    };
    const { sql, withoutReturning, retry = false } = definition;
    let fallback: SqlTemplate | string | undefined;
    // Until the server has shown that it understands the text, a transaction must survive that it does not.
    let tentative = withoutReturning !== undefined;

    const run = async (call: Call, values: readonly Json[], text: SqlTemplate | string): Promise<Row[]> => {
      call.proceed();
      const rendered = renderSql(text, values, this.system.markers);
      const query: Query = {
        text: rendered.text,
        values: bindValues(rendered.values, this.system.booleans),
        use,
        inTransaction: call.transaction !== undefined,
      };
      return call.transaction === undefined
        ? this.run(query, { retry, deadline: call.deadline, proceed: call.proceed.bind(call) })
        : this.partOf(call.transaction).run(query, call, tentative);
    };
    return async (call, values) => {
      try {
        if (withoutReturning === undefined || fallback !== undefined)
          return await run(call, values, fallback ?? sql);
        try {
          const rows = await run(call, values, sql);
          tentative = false;
          return rows;
        } catch (error) {
          if (!isSyntaxError(error)) throw error;
          const rows = await run(call, values, withoutReturning);
          fallback = withoutReturning;
          tentative = false;
          return rows;
        }
      } catch (error) {
        throw error instanceof DatabaseFailure ? failureError(error, place, values.length > 0) : error;
      }
    };
  }

  /** What this datasource does in a transaction; it begins with the first statement. */
  private partOf(transaction: Transaction): DatasourceTransaction<Connection> {
    let part = this.transactions.get(transaction);
    if (part === undefined) {
      part = new DatasourceTransaction(this.name, this.use());
      this.transactions.set(transaction, part);
      transaction.join(part);
    }
    return part;
  }

  private use(): Opened<Connection> {
    if (this.opened === undefined) throw new Error(`datasource '${this.name}' has not been opened`);
    return this.opened;
  }

  /** Runs the statement; a second time on a new connection where the first one died and that does no harm. */
  private async run(query: Query, run: Run): Promise<Row[]> {
    const opened = this.use();
    const deadline = Math.min(run.deadline, performance.now() + opened.timeout);
    try {
      return await attempt(opened, query, run, deadline, 0);
    } catch (error) {
      if (!run.retry || !(error instanceof DatabaseFailure) || !error.failure.died) throw error;
    }
    return attempt(opened, query, run, deadline, performance.now());
  }
}

/** Runs the statement once. Throws a DatabaseFailure, or what `proceed` throws. */
async function attempt<Connection extends object>(
  opened: Opened<Connection>,
  query: Query,
  run: Run,
  deadline: number,
  since: number,
): Promise<Row[]> {
  const connection = await acquire(opened, deadline, since);
  try {
    run.proceed();
    return await execute(opened, connection, query.text, deadline, () =>
      opened.driver.run(connection, query),
    );
  } finally {
    opened.pool.release(connection);
  }
}

function isSyntaxError(error: unknown): boolean {
  return error instanceof DatabaseFailure && error.failure.code === '42601';
}
