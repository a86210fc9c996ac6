/** The description of a statement by its database, before it ever runs. Plain data, so that it can be cached between builds. */

/** A type of a database. */
export interface DatabaseType {
  /** As the database calls it: `int4`, `mood`, `varchar`. */
  readonly name: string;
  /** The labels of an enum. */
  readonly labels?: readonly string[];
  /** The type of the elements of an array. */
  readonly element?: DatabaseType;
}

export interface DescribedColumn {
  readonly name: string;
  readonly type: DatabaseType;
  /** The source of a column selected unchanged from a table: the table, whether the column is NOT NULL, and its name in the table if it was renamed. */
  readonly origin?: { readonly table: string; readonly isNotNull: boolean; readonly column?: string };
  /** On MySQL and MariaDB: on another server the letter case of its name may be that of its table or view, and not that of the statement. */
  readonly isSpelledByTable?: true;
}

/** The column of a table that a column of a result is. */
export interface TableColumn {
  readonly table: string;
  readonly isNotNull: boolean;
  readonly column: string;
}

/** `name`: of the column of the result. */
export function originOf(
  { table, isNotNull, column }: TableColumn,
  name: string,
): NonNullable<DescribedColumn['origin']> {
  return { table, isNotNull, ...(column === name ? {} : { column }) };
}

/** A view whose query may change something, or a function that leaves something on its connection. */
export interface ViewEffect {
  readonly view: string;
  readonly isFunction?: true;
  /** The effect that it leaves on the connection, as messages name it: `set_config`. */
  readonly leaves?: string;
}

/** The description of a valid statement. */
export interface Description {
  /** Undefined for a statement that returns no rows. */
  readonly columns?: readonly DescribedColumn[];
  /** The types of its markers, in order. */
  readonly parameters: readonly DatabaseType[];
  /** The named views and functions that may change data; missing without any. */
  readonly views?: readonly ViewEffect[];
  /** The orders of a list that the database refuses; missing without any. */
  readonly refusedOrders?: readonly { readonly name: string; readonly message: string }[];
}

/** Why the database refuses a statement, in its own words. */
export interface Refusal {
  readonly message: string;
  readonly hint?: string;
  /** The SQLSTATE of PostgreSQL, the number of MySQL and MariaDB. */
  readonly code: string;
  /** The index in the text that it is about; undefined if the database does not report it. */
  readonly at?: number;
}

export type DescribeResult = { readonly description: Description } | { readonly refusal: Refusal };
