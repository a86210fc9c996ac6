/** The databases of a service for user code: Knex on the connections of the datasources, in the transaction of the call. */
import knex, { type Knex } from 'knex';
import type { DatabaseDatasource } from '../sql/datasource.js';
import { inTransaction, SharedTransaction } from '../transactions/transaction.js';
import type { OwnDatabases, OwnRun } from './own-code.js';
import { JoinedConnection, LeasedConnection, ownError, type OwnConnection } from './own-connection.js';

/** Declares the databases available to user functions, by datasource name. */
export function ownDatabases<Names extends Readonly<Record<string, DatabaseDatasource>>>(
  datasources: Names,
): OwnDatabases<{ readonly [Name in keyof Names]: Knex }> {
  return {
    open(run) {
      const opened = new Map<string, CallDatabase>();
      const databases = {} as Record<string, Knex>;
      for (const [name, datasource] of Object.entries(datasources))
        Object.defineProperty(databases, name, {
          enumerable: true,
          get: () => {
            const known = opened.get(name) ?? new CallDatabase(datasource, run);
            opened.set(name, known);
            return known.knex;
          },
        });
      return {
        databases: databases as { [Name in keyof Names]: Knex },
        close: () => {
          for (const database of opened.values()) database.close();
        },
      };
    },
    inTransaction: (call, run) => inTransaction(call, run),
  };
}

/** A database for one run of a user function. */
class CallDatabase {
  readonly knex: Knex;
  private readonly connections = new Set<OwnConnection>();
  private isClosed = false;

  constructor(
    private readonly datasource: DatabaseDatasource,
    private readonly run: OwnRun,
  ) {
    const isPostgres = datasource.kind === 'postgresql';
    const wrap = isPostgres ? asPostgres : asMysql;
    const none = () => 0;
    const pool = {
      acquire: () => ({
        promise: this.acquire().then((connection) => ({ own: connection, ...wrap(connection) })),
      }),
      release: ({ own }: { readonly own: OwnConnection }) => this.release(own),
      destroy: () => Promise.resolve(),
      // Knex recognizes its own kind of pool by these methods.
      ...{ numFree: none, numUsed: none, numPendingAcquires: none },
    };
    this.knex = knex({
      client: isPostgres ? 'pg' : 'mysql2',
      connectionPool: pool,
      // Compiled SQL would include values in error messages.
      compileSqlOnError: false,
      log: { warn: nothing, error: nothing, deprecate: nothing, debug: nothing },
    });
  }

  close(): void {
    this.isClosed = true;
    for (const connection of this.connections) this.release(connection);
  }

  private async acquire(): Promise<OwnConnection> {
    const { datasource, run } = this;
    if (this.isClosed)
      throw new Error(`${run.function} has ended, and with it its connections to '${datasource.name}'`);
    const { call } = run;
    const { transaction } = call;
    if (transaction instanceof SharedTransaction)
      return this.kept(new JoinedConnection(datasource, call, transaction));
    call.proceed();
    const { connections, timeout } = datasource.use();
    try {
      const leased = await connections.lease(Math.min(call.deadline, performance.now() + timeout));
      const own = this.kept(new LeasedConnection(datasource, call, leased));
      this.refuseIfOver(own);
      return own;
    } catch (error) {
      throw ownError(error, datasource.name);
    }
  }

  /** Releases the connection if the function has ended while waiting for it. */
  private refuseIfOver(connection: OwnConnection): void {
    if (this.isClosed) this.release(connection);
  }

  private kept<Own extends OwnConnection>(connection: Own): Own {
    this.connections.add(connection);
    return connection;
  }

  private release(connection: OwnConnection): boolean {
    if (this.connections.delete(connection)) connection.release();
    return true;
  }
}

function nothing(): void {
  // The caller that awaits the statement receives its errors.
}

type Done = (error: unknown, ...results: unknown[]) => void;

interface Client {
  query(...args: unknown[]): unknown;
}

/** A connection with the pg methods that Knex calls. */
function asPostgres(own: OwnConnection): object {
  return {
    query: (statement: { readonly text: string }, done: Done): void => {
      const run = (client: unknown): Promise<unknown> =>
        new Promise((resolve, reject) => {
          (client as Client).query(statement, (error: unknown, result: unknown) => {
            if (error instanceof Error) reject(error);
            else resolve(result);
          });
        });
      own.run(statement.text, run).then((result) => {
        done(null, result ?? { command: '', rows: [], rowCount: 0 });
      }, done);
    },
  };
}

/** A connection with the mysql2 methods that Knex calls. */
function asMysql(own: OwnConnection): object {
  return {
    query: (
      statement: { readonly sql: string },
      values: readonly unknown[] | undefined,
      done: Done,
    ): void => {
      // The driver would expand an object into assignments.
      const bound = values?.map((value) => (isPlain(value) ? JSON.stringify(value) : value));
      const run = (client: unknown): Promise<[unknown, unknown]> =>
        new Promise((resolve, reject) => {
          (client as Client).query(statement, bound, (error: unknown, rows: unknown, fields: unknown) => {
            if (error instanceof Error) reject(error);
            else resolve([rows, fields]);
          });
        });
      own.run(statement.sql, run).then((result) => {
        const [rows, fields] = result ?? [[], []];
        done(null, rows, fields);
      }, done);
    },
  };
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
