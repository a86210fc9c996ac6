/** Runs the statements of a database datasource: deadlines, one retry where it is safe, and failures by their kind. */
import type { Call } from '../call.js';
import type { Json, Row } from '../json.js';
import { ServiceError } from '../service-error.js';
import { bindValues, type BooleanTexts } from './bind.js';
import { readConnectionSettings, type ConnectionSettings } from './connection-settings.js';
import type {
  DatabaseDatasource,
  DatabaseDefinition,
  DatabaseSettings,
  Statement,
  StatementDefinition,
} from './database.js';
import { beforeDeadline } from './deadline.js';
import { DatabaseFailure, failureError, type Failure } from './failure.js';
import type { DatabaseKind } from './jdbc-url.js';
import { renderSql, type MarkerStyle } from './markers.js';
import { ConnectionPool, type PoolDriver } from './pool.js';
import type { SqlTemplate } from './sql.js';

/** One statement for the driver: its text with markers, and a scalar for each. */
export interface Query {
  readonly text: string;
  readonly values: readonly (string | null)[];
  readonly use: 'read' | 'update';
}

/** How statements run on the connections of one kind of database. */
export interface StatementDriver<Connection extends object> extends PoolDriver<Connection> {
  /** Runs the statement and decodes what it returns. Throws the errors of the driver. */
  run(connection: Connection, query: Query): Promise<Row[]>;
  /** What an error of the driver means; `text` is the statement, undefined while connecting. */
  failureOf(error: unknown, text: string | undefined): Failure;
}

/** A kind of database: what is the same for all datasources of it. */
export interface DatabaseSystem<Connection extends object> {
  readonly kind: DatabaseKind;
  readonly markers: MarkerStyle;
  readonly booleans: BooleanTexts;
  driver(settings: ConnectionSettings): StatementDriver<Connection>;
}

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

/** What there is once the datasource has been opened. */
interface Opened<Connection extends object> {
  readonly driver: StatementDriver<Connection>;
  readonly pool: ConnectionPool<Connection>;
  /** Milliseconds. */
  readonly timeout: number;
}

export class Datasource<Connection extends object> implements DatabaseDatasource {
  readonly name: string;
  private opened: Opened<Connection> | undefined;

  constructor(
    private readonly system: DatabaseSystem<Connection>,
    private readonly definition: DatabaseDefinition,
  ) {
    this.name = definition.name;
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

    const run = async (call: Call, values: readonly Json[], text: SqlTemplate | string): Promise<Row[]> => {
      call.proceed();
      const rendered = renderSql(text, values, this.system.markers);
      const query: Query = {
        text: rendered.text,
        values: bindValues(rendered.values, this.system.booleans),
        use,
      };
      return this.run(query, { retry, deadline: call.deadline, proceed: call.proceed.bind(call) });
    };
    return async (call, values) => {
      try {
        if (withoutReturning === undefined || fallback !== undefined)
          return await run(call, values, fallback ?? sql);
        try {
          return await run(call, values, sql);
        } catch (error) {
          if (!isSyntaxError(error)) throw error;
          const rows = await run(call, values, withoutReturning);
          fallback = withoutReturning;
          return rows;
        }
      } catch (error) {
        throw error instanceof DatabaseFailure ? failureError(error, place) : error;
      }
    };
  }

  /** Runs the statement; a second time on a new connection where the first one died and that does no harm. */
  private async run(query: Query, run: Run): Promise<Row[]> {
    const { opened } = this;
    if (opened === undefined) throw new Error(`datasource '${this.name}' has not been opened`);
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
  { driver, pool }: Opened<Connection>,
  query: Query,
  run: Run,
  deadline: number,
  since: number,
): Promise<Row[]> {
  let connection: Connection;
  try {
    connection = await pool.acquire(deadline, since);
  } catch (error) {
    throw asFailure(error, () => driver.failureOf(error, undefined));
  }
  try {
    run.proceed();
    return await execute(driver, pool, connection, query, deadline);
  } finally {
    pool.release(connection);
  }
}

async function execute<Connection extends object>(
  driver: StatementDriver<Connection>,
  pool: ConnectionPool<Connection>,
  connection: Connection,
  query: Query,
  deadline: number,
): Promise<Row[]> {
  try {
    return await beforeDeadline(driver.run(connection, query), deadline, () => {
      pool.discard(connection);
      return new DatabaseFailure({ kind: 'timeout', reason: 'no answer within the time allowed' });
    });
  } catch (error) {
    const failure = asFailure(error, () => driver.failureOf(error, query.text));
    if (failure.failure.died === true || failure.failure.broken === true) pool.discard(connection);
    throw failure;
  }
}

function asFailure(error: unknown, describe: () => Failure): DatabaseFailure {
  return error instanceof DatabaseFailure ? error : new DatabaseFailure(describe(), error);
}

function isSyntaxError(error: unknown): boolean {
  return error instanceof DatabaseFailure && error.failure.code === '42601';
}
