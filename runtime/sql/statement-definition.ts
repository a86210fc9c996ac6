/** A statement of the configuration, as generated code declares it, and what some of them have besides. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import type { SqlTemplate, PassedValue } from './sql-template.js';

/** One for each of the values, or for some of them: `['a', 'b']`, `{ 3: 'a' }`. */
export type ByIndex<Value> = Readonly<Record<number, Value>>;

/** One SQL text of the configuration, declared once when the service starts. */
export interface StatementDefinition {
  /** Its operation and fulfillment, for logs. */
  readonly operation: string;
  readonly fulfillment: string;
  /** The text with its markers (`$1` or `?`); a template where an IN list makes their number vary. */
  readonly sql: string | SqlTemplate;
  /**
   * The names of values of the request by their index, for the message of a response 400 and for nothing else: `param.id`,
   * `body.lines[].price`.
   */
  readonly valueNames?: ByIndex<string>;
  /**
   * The values that are parameters of the request, by their index, with the names of the parameters: where JSON is expected, the string of
   * one that is not declared is JSON text.
   */
  readonly parameters?: ByIndex<string>;
  /** The indexes of values of the caller: one that the database refuses is 403. */
  readonly callerValues?: readonly number[];
  /**
   * Only on MySQL and MariaDB: the names of the columns as the handler reads them, if the letter case that the server reports is that of
   * its tables and views, and not that of the statement.
   */
  readonly columnNames?: readonly string[];
  /** Only on MySQL and MariaDB: columns of comparisons and other conditions, whose 1 and 0 are true and false. */
  readonly truths?: readonly string[];
  /**
   * Only on MySQL and MariaDB, if values are written to columns: a SELECT of these columns, one for each value; NULL for a value that is not
   * written to a column. It is prepared and never executed: the types of its columns are the types of the parameters, which the server does
   * not report.
   */
  readonly parameterTypes?: string;
  /** As `parameterTypes`, of the columns that values are compared with: what a column returns finds its row. */
  readonly comparedTypes?: string;
  /** As `parameterTypes`, of the columns by which a list is ordered, for the values of its last row. */
  readonly positionTypes?: string;
  /** How many elements of a loop it reads at once: their values, each with its position before them, have these columns. */
  readonly elements?: number;
  /** Columns whose values are `{ ordered: 'NaN', shown: null }` where JSON has less than the database compares. */
  readonly orderColumns?: readonly string[];
  /**
   * False for a READ that may have side effects: running it twice could do harm. Every other READ is retried once when a connection ends
   * before any result, and may be sent ahead. An UPDATE is never retried.
   */
  readonly retry?: false;
  /** False for what may leave a part of its work after a failure: a procedure that commits, a call of another system. */
  readonly atomic?: false;
  /** It runs code of the database, which may leave something in the session: that is cleaned before anybody else gets the connection. */
  readonly runsUnknownCode?: true;
  /** It leaves something on its connection (a temporary table, a lock), which is closed at the end of the transaction. */
  readonly changesSession?: true;
  /** It runs between BEGIN and COMMIT, because it could end the transaction in which the context of its datasource holds. */
  readonly enclosed?: true;
  /** It runs as the user of the datasource, without its context: a statement of the service itself, for no caller. */
  readonly asUser?: true;
  /**
   * The RETURNING that its author did not write (`RETURNING *`), appended to `sql` until the server refuses it: before
   * version 17 in a MERGE, for a view with rules, for a user who may not read. From then on the statement returns no rows.
   */
  readonly returning?: string;
  /** The text that this one runs for several elements: on PostgreSQL its values are lists of those of that one. */
  readonly eachOf?: string;
}

/** Records the end of a read whose rows are passed on while they arrive: how many, and the error that ended them. */
export type EndOfRows = (rows: number, error?: unknown) => void;

/** Reads for several elements of a loop at once. */
export interface EachRead {
  /**
   * The rows of the next elements, from a position on, for each of them; as many elements as suit. Undefined, now or later, where they have
   * to be read one by one. Never fails.
   */
  start<Element>(
    call: Call,
    elements: readonly Element[],
    from: number,
    valuesOf: (element: Element) => readonly PassedValue[],
  ): Promise<Row[][] | undefined> | undefined;
}
