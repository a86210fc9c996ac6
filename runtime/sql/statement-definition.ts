/** A statement of the configuration, as generated code declares it, with optional parts. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import type { SqlTemplate, PassedValue } from './sql-template.js';

/** One for each of the values, or for some of them: `['a', 'b']`, `{ 3: 'a' }`. */
export type ByIndex<Value> = Readonly<Record<number, Value>>;

/** One SQL statement of the configuration, declared once when the service starts. */
export interface StatementDefinition {
  /** Its operation and fulfillment, for logs. */
  readonly operation: string;
  readonly fulfillment: string;
  /** The SQL with its markers (`$1` or `?`); a template if the number of markers varies because of an IN list. */
  readonly sql: string | SqlTemplate;
  /** Names of values of the request by their index, used only for the message of a response 400: `param.id`, `body.lines[].price`. */
  readonly valueNames?: ByIndex<string>;
  /**
   * Values that are parameters of the request, by their index, with the names of the parameters. Where JSON is expected, the string of an
   * undeclared parameter is a JSON document.
   */
  readonly parameters?: ByIndex<string>;
  /** The indexes of the caller's values. If the database refuses one, the response is 403. */
  readonly callerValues?: readonly number[];
  /**
   * Only on MySQL and MariaDB: the names of the columns as the handler reads them, if the letter case that the server reports is that of
   * its tables and views, and not that of the statement.
   */
  readonly columnNames?: readonly string[];
  /** Only on MySQL and MariaDB: columns of comparisons and other conditions, whose values 1 and 0 mean true and false. */
  readonly truths?: readonly string[];
  /**
   * Only on MySQL and MariaDB, if values are written to columns: a SELECT of these columns, one for each value; NULL for a value that is not
   * written to a column. It is prepared and never executed: the types of its columns are the types of the parameters, which the server does
   * not report.
   */
  readonly parameterTypes?: string;
  /** Like `parameterTypes`, for the columns that values are compared with: a value returned by a column finds its row. */
  readonly comparedTypes?: string;
  /** Like `parameterTypes`, for the columns by which a list is ordered, with the values of its last row. */
  readonly positionTypes?: string;
  /** The number of elements of a loop in the statement: their values, each list after its position, have these columns. */
  readonly elements?: number;
  /** Columns whose values are `{ ordered: 'NaN', shown: null }` if the database distinguishes more values than JSON. */
  readonly orderColumns?: readonly string[];
  /**
   * False for a READ that may have side effects: running it twice could do harm. Every other READ is retried once when a connection ends
   * before any result, and may be sent ahead. An UPDATE is never retried.
   */
  readonly retry?: false;
  /** False for a statement that may leave a part of its work after a failure: a procedure that commits, or calls another system. */
  readonly atomic?: false;
  /** It runs code of the database that may leave something in the session, which is cleaned before its next use. */
  readonly runsUnknownCode?: true;
  /** It leaves something on its connection (a temporary table, a lock), which is closed at the end of the transaction. */
  readonly changesSession?: true;
  /** It runs between BEGIN and COMMIT, because it could end the transaction of its datasource's context. */
  readonly enclosed?: true;
  /** It runs as the user of the datasource, without its context: a statement of the service itself, without a caller. */
  readonly asUser?: true;
  /**
   * A RETURNING that the author did not write (`RETURNING *`). It is appended to `sql` until the server refuses it: in a MERGE before
   * version 17, for a view with rules, or for a user without the right to read. From then on the statement returns no rows.
   */
  readonly returning?: string;
  /** The SQL that this statement runs for several elements; on PostgreSQL, its values are lists of the values of that SQL. */
  readonly eachOf?: string;
}

/** Records the end of a read whose rows are passed on while they arrive: their number, and the error that ended the read. */
export type EndOfRows = (rows: number, error?: unknown) => void;

/** Reads for several elements of a loop in one query. */
export interface EachRead {
  /**
   * The rows of the next elements, starting at a position; it chooses how many. Undefined, immediately or later, if they have to be read
   * one by one. Never fails.
   */
  start<Element>(
    call: Call,
    elements: readonly Element[],
    from: number,
    valuesOf: (element: Element) => readonly PassedValue[],
  ): Promise<Row[][] | undefined> | undefined;
}
