/** Descriptions of the statements of a configuration by their databases. */
import type { Datasource } from '../../../read/config/config-model.js';
import type { Source } from '../../../read/source.js';
import type { DescribeResult } from '../../../read/sql/statement-description.js';
import type { Question } from '../../../read/sql/rewrite/question.js';
import type { SqlStatement } from '../../../read/sql/statement.js';

/** A statement, and the questions for its database. */
export interface AskedStatement extends Question {
  readonly statement: SqlStatement;
  readonly datasource: Datasource;
  /** The statements of the orders of a list, with a next page where it has pages. */
  readonly orders?: readonly { readonly name: string; readonly text: string }[];
}

/** A statement of a schema that a database refuses. */
export interface SchemaError {
  readonly source: Source;
  /** Offsets in the source. */
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly hint?: string;
  /** Offset in the statement of the error; undefined if the server does not report it. */
  readonly at?: number;
  /** Whether another server may accept it: the one that was asked lacks an extension that the schema requires. */
  readonly isLack: boolean;
}

/** A statement of which its database reports nothing. */
export interface UncheckedStatement {
  readonly asked: AskedStatement;
  /** Why, in the database's words: a missing privilege, a time that was over. */
  readonly reason: string;
}

/** A table or view, with the names of its columns. */
export interface KnownTable {
  /** After its schema and a dot if statements must name the schema. */
  readonly name: string;
  /** PostgreSQL: the schema, where statements must name it. */
  readonly schema?: string;
  readonly columns: readonly string[];
  /** Placeholders of a number type; only servers of MySQL and MariaDB are asked for them. */
  readonly numbers?: readonly string[];
  /** Placeholders for which a statement that writes null is refused. */
  readonly refusingNull?: readonly string[];
  /** Of a table: columns that no two of its rows have alike, if they are not null. */
  readonly keys?: readonly (readonly string[])[];
  /** Foreign keys of one column, in a database that knows them. */
  readonly references?: readonly ForeignColumn[];
  /** By the name of a column of strings: all that its CHECKs allow, where they are few. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** The query of a view, as the server writes it. */
  readonly query?: string;
  /** PostgreSQL: a materialized view, whose rows nothing changes. */
  readonly isMaterialized?: boolean;
  /** Row level security is on; with the functions of its policies that are declared IMMUTABLE. */
  readonly policies?: { readonly immutable: readonly string[] };
  /** A view or function that reads as its owner: policies of its tables do not hold for the caller. */
  readonly isOfOwner?: boolean;
  /** The functions that its triggers call. */
  readonly triggers?: readonly string[];
  /** The body of a function. Functions are not included in the tables shown to others. */
  readonly body?: string;
}

/** `column` of its own table has values of `target` of the other one. */
export interface ForeignColumn {
  readonly column: string;
  readonly table: string;
  readonly target: string;
}

export interface StatementDescriptions {
  /** Undefined for a statement of which no database was asked. */
  of(
    statement: SqlStatement,
  ): { readonly asked: AskedStatement; readonly result: DescribeResult } | undefined;
  readonly errors: readonly SchemaError[];
  readonly unchecked: readonly UncheckedStatement[];
  /** Whether a table or column that a datasource's database does not know is certainly missing: its schema is complete. */
  isWhole(datasource: Datasource): boolean;
  /** The tables and views of its database. */
  tables(datasource: Datasource): readonly KnownTable[];
  /** The names of the functions of its database that run as their owner (SECURITY DEFINER). */
  functionsOfOwner(datasource: Datasource): readonly string[];
}

/** The databases of the datasources, or their schemas. */
export interface Databases {
  /** `questions` is called only where there is a database to ask. */
  ask(
    datasources: readonly Datasource[],
    questions: () => readonly AskedStatement[],
  ): Promise<StatementDescriptions>;
}

/** Where no database is asked. */
export const noDescriptions: StatementDescriptions = {
  of: () => undefined,
  errors: [],
  unchecked: [],
  isWhole: () => false,
  tables: () => [],
  functionsOfOwner: () => [],
};
