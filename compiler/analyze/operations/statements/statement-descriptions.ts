/** The databases' descriptions of a configuration's statements. */
import type { Datasource } from '../../../read/config/config-model.js';
import type { Source } from '../../../read/source.js';
import type { DescribeResult } from '../../../read/sql/statement-description.js';
import type { Question } from '../../../read/sql/rewrite/question.js';
import type { SqlStatement } from '../../../read/sql/statement.js';

/** A statement, and the questions about it for its database. */
export interface AskedStatement extends Question {
  readonly statement: SqlStatement;
  readonly datasource: Datasource;
  /** The statements for the orders of a list, including one for the next page if the list has pages. */
  readonly orders?: readonly { readonly name: string; readonly text: string }[];
}

/** A statement of a schema that the database refuses. */
export interface SchemaError {
  readonly source: Source;
  /** Offsets in the source. */
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly hint?: string;
  /** The offset of the error in the statement; undefined if the server does not report one. */
  readonly at?: number;
  /** True if another server might accept the statement, because the database lacks an extension that the schema requires. */
  readonly isLack: boolean;
}

/** A statement that its database does not describe. */
export interface UncheckedStatement {
  readonly asked: AskedStatement;
  /** The reason in the database's words, such as a missing privilege or a timeout. */
  readonly reason: string;
}

/** A table or view with its column names. */
export interface KnownTable {
  /** Prefixed with the schema and a dot if statements must name the schema. */
  readonly name: string;
  /** PostgreSQL: the schema, if statements must name it. */
  readonly schema?: string;
  readonly columns: readonly string[];
  /** Columns of a numeric type; only reported for MySQL and MariaDB servers. */
  readonly numbers?: readonly string[];
  /** Columns for which a statement that writes null is refused. */
  readonly refusingNull?: readonly string[];
  /** For a table: unique keys, whose non-null values differ in all rows. */
  readonly keys?: readonly (readonly string[])[];
  /** The columns with which an index begins that contains all rows. */
  readonly indexed?: readonly string[];
  /** Single-column foreign keys, if the database reports them. */
  readonly references?: readonly ForeignColumn[];
  /** The constraints that its rows can violate, including those of domains. */
  readonly constraints?: readonly KnownConstraint[];
  /** For string columns restricted by a CHECK to a few values: the allowed values, by column name. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** The query of a view, in the server's form. */
  readonly query?: string;
  /** PostgreSQL: true for a materialized view, whose rows cannot be changed. */
  readonly isMaterialized?: boolean;
  /** Set if row level security is enabled: the functions used by its policies that are declared IMMUTABLE. */
  readonly policies?: { readonly immutable: readonly string[] };
  /** True for a view or function that reads with its owner's privileges, so that table policies do not apply to the caller. */
  readonly isOfOwner?: boolean;
  /** The functions called by its triggers. */
  readonly triggers?: readonly string[];
  /** The body of a function. Functions are excluded from the lists of tables shown to users. */
  readonly body?: string;
}

export interface KnownConstraint {
  readonly name: string;
  /** Checked at the end of a transaction (INITIALLY DEFERRED). */
  readonly isDeferred?: boolean;
}

/** The values of `column` in this table are values of `target` in the other table. */
export interface ForeignColumn {
  readonly column: string;
  readonly table: string;
  readonly target: string;
}

export interface StatementDescriptions {
  /** The description of a statement; undefined if no database was asked about it. */
  of(
    statement: SqlStatement,
  ): { readonly asked: AskedStatement; readonly result: DescribeResult } | undefined;
  readonly errors: readonly SchemaError[];
  readonly unchecked: readonly UncheckedStatement[];
  /** Whether the schema of the datasource's database is complete, so that unknown tables and columns are certainly missing. */
  isWhole(datasource: Datasource): boolean;
  /** The tables and views of the datasource's database. */
  tables(datasource: Datasource): readonly KnownTable[];
  /** The names of its functions that run with their owner's privileges (SECURITY DEFINER). */
  functionsOfOwner(datasource: Datasource): readonly string[];
}

/** Databases of datasources, or their schemas. */
export interface Databases {
  /** Calls `questions` only if there is a database to ask. */
  ask(
    datasources: readonly Datasource[],
    questions: () => readonly AskedStatement[],
  ): Promise<StatementDescriptions>;
}

/** Used if no database is asked. */
export const noDescriptions: StatementDescriptions = {
  of: () => undefined,
  errors: [],
  unchecked: [],
  isWhole: () => false,
  tables: () => [],
  functionsOfOwner: () => [],
};
