/** A database's description of a statement, obtained at build time. Plain data, so that builds can cache it. */

/** A database type. */
export interface DatabaseType {
  /** The database's name for the type: `int4`, `mood`, `varchar`. */
  readonly name: string;
  /** The labels of an enum. */
  readonly labels?: readonly string[];
  /** The element type of an array. */
  readonly element?: DatabaseType;
  /** Digits of a decimal number at most, and how many of them follow the point, if the type limits them: `numeric(14,2)`. */
  readonly precision?: number;
  readonly scale?: number;
}

export interface DescribedColumn {
  readonly name: string;
  readonly type: DatabaseType;
  /** The source of a column selected unchanged from a table: the table, whether the column is NOT NULL, and its name in the table if it was renamed. */
  readonly origin?: { readonly table: string; readonly isNotNull: boolean; readonly column?: string };
  /** MySQL and MariaDB only: on another server, the name may have the letter case of the table or view instead of the statement's. */
  readonly isSpelledByTable?: true;
}

/** The table column that a result column returns. */
export interface TableColumn {
  readonly table: string;
  readonly isNotNull: boolean;
  readonly column: string;
}

/** `name` is the name of the result column. */
export function originOf(
  { table, isNotNull, column }: TableColumn,
  name: string,
): NonNullable<DescribedColumn['origin']> {
  return { table, isNotNull, ...(column === name ? {} : { column }) };
}

/** A view whose query may change something, or a function that leaves state on the connection. */
export interface ViewEffect {
  readonly view: string;
  readonly isFunction?: true;
  /** The name of the effect in messages: `set_config`. */
  readonly leaves?: string;
}

/** The description of a statement that the database accepts. */
export interface Description {
  /** The result columns; undefined if the statement does not return rows. */
  readonly columns?: readonly DescribedColumn[];
  /** The types of the markers, in order. */
  readonly parameters: readonly DatabaseType[];
  /** The views and functions used that may change data or session state; omitted if empty. */
  readonly views?: readonly ViewEffect[];
  /** The list orders that the database refuses; omitted if empty. */
  readonly refusedOrders?: readonly { readonly name: string; readonly message: string }[];
}

/** The database's reason for refusing a statement. */
export interface Refusal {
  readonly message: string;
  readonly hint?: string;
  /** SQLSTATE on PostgreSQL, error number on MySQL and MariaDB. */
  readonly code: string;
  /** The index in the SQL at which the error was found; undefined if the database does not report one. */
  readonly at?: number;
}

export type DescribeResult = { readonly description: Description } | { readonly refusal: Refusal };
