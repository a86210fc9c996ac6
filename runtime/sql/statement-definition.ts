/** The definition of a configured statement in generated code, with optional parts. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import type { SqlTemplate, PassedValue } from './sql-template.js';

/** A property for all or some of the values: `['a', 'b']`, `{ 3: 'a' }`. */
export type ByIndex<Value> = Readonly<Record<number, Value>>;

/** An SQL statement of the configuration, declared once when the service starts. */
export interface StatementDefinition {
  /** The names of the operation and the fulfillment, for logs. */
  readonly operation: string;
  readonly fulfillment: string;
  /** The SQL with placeholders (`$1` or `?`); a template if an IN list makes the number of placeholders variable. */
  readonly sql: string | SqlTemplate;
  /** Names of request values by index, for messages of 400 responses: `param.id`, `body.lines[].price`. */
  readonly valueNames?: ByIndex<string>;
  /**
   * Parameter names by the index of the value, for values that are request parameters. Where JSON is expected, the string of an
   * undeclared parameter is parsed as JSON.
   */
  readonly parameters?: ByIndex<string>;
  /** Indexes of values from the caller. If the database rejects such a value, the response is 403. */
  readonly callerValues?: readonly number[];
  /**
   * Only on MySQL and MariaDB: the column names that the handler reads, if the server reports them in the letter case of its tables and
   * views instead of that of the statement.
   */
  readonly columnNames?: readonly string[];
  /** Only on MySQL and MariaDB: columns that contain comparisons and other conditions, in which 1 and 0 mean true and false. */
  readonly truths?: readonly string[];
  /**
   * Only on MySQL and MariaDB, for values that are written to columns: a SELECT with a column for each value, or NULL for a value that
   * is not written to a column. The SELECT is prepared but never executed: its column types are the parameter types, which the server
   * does not report.
   */
  readonly parameterTypes?: string;
  /** Like `parameterTypes`, for columns that values are compared with, so that a value returned by a column finds its row again. */
  readonly comparedTypes?: string;
  /** Like `parameterTypes`, for columns by which a list is ordered; the values are those of its last row. */
  readonly positionTypes?: string;
  /** Like `comparedTypes`, for the values of a filter, which follow those of the configured statement. */
  readonly filterTypes?: string;
  /** Whether the server prepares the statement for a single run: a form of a list that few requests have, which must not push out others. */
  readonly once?: true;
  /** The number of loop elements in the statement: the values of each element, preceded by its position, have these columns. */
  readonly elements?: number;
  /** Columns with values such as `{ ordered: 'NaN', shown: null }`, where the database distinguishes more values than JSON. */
  readonly orderColumns?: readonly string[];
  /**
   * False for a READ with possible side effects, which must not run twice. Other READs are retried once when a connection ends before
   * the result, and may be sent ahead. UPDATEs are never retried.
   */
  readonly retry?: false;
  /** False for a statement that may leave part of its work after a failure: a procedure that commits, or calls another system. */
  readonly atomic?: false;
  /** Whether the statement runs database code that may change the session state, which is then reset before the next use. */
  readonly runsUnknownCode?: true;
  /**
   * Whether the statement leaves state on its connection (a temporary table, a lock); the connection is closed at the end of the
   * transaction.
   */
  readonly changesSession?: true;
  /** Whether the statement runs between BEGIN and COMMIT, because it could end the transaction of the datasource context. */
  readonly enclosed?: true;
  /** Whether the statement runs as the datasource user without a context: a statement of the service itself, without a caller. */
  readonly asUser?: true;
  /**
   * A generated RETURNING clause (`RETURNING *`). It is appended to `sql` until the server rejects it: in a MERGE before version 17,
   * for a view with rules, or if the user lacks the SELECT privilege. From then on, the statement returns no rows.
   */
  readonly returning?: string;
  /** The SQL that this statement runs for several elements; on PostgreSQL, its values are lists of values for that SQL. */
  readonly eachOf?: string;
}

/** Records the end of a streamed read: the number of rows, and the error that ended it. */
export type EndOfRows = (rows: number, error?: unknown) => void;

/** Reads for several elements of a loop in one query. */
export interface EachRead {
  /**
   * Reads the next elements, starting at a position, and chooses their number. Returns their rows; undefined, immediately or later, if
   * the elements must be read one by one. Never fails.
   */
  start<Element>(
    call: Call,
    elements: readonly Element[],
    from: number,
    valuesOf: (element: Element) => readonly PassedValue[],
  ): Promise<Row[][] | undefined> | undefined;
}
