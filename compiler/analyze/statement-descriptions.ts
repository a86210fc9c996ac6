/** What databases say of the statements of a configuration. */
import type { Datasource } from '../config/config-model.js';
import type { Source } from '../source.js';
import type { DescribeResult } from '../sql/statement-description.js';
import type { Question } from '../sql/question.js';
import type { SqlStatement } from '../sql/statement.js';

/** A statement, and what its database is asked about it. */
export interface AskedStatement extends Question {
  readonly statement: SqlStatement;
  readonly datasource: Datasource;
}

/** A statement of a schema that a database does not take. */
export interface SchemaError {
  readonly source: Source;
  /** Offsets in the source. */
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly hint?: string;
  /** Offset in the statement of what it is about; undefined where the server does not say. */
  readonly at?: number;
  /** Whether a server may well take it: the one that was asked lacks an extension that the schema asks for. */
  readonly isLack: boolean;
}

/** A statement of which its database says nothing. */
export interface UncheckedStatement {
  readonly asked: AskedStatement;
  /** Why, in the database's words: a missing privilege, a time that was over. */
  readonly reason: string;
}

export interface StatementDescriptions {
  /** Undefined for a statement of which no database was asked. */
  of(
    statement: SqlStatement,
  ): { readonly asked: AskedStatement; readonly result: DescribeResult } | undefined;
  readonly errors: readonly SchemaError[];
  readonly unchecked: readonly UncheckedStatement[];
  /** Whether what a datasource's database says to be missing is missing for certain: all of its schema is there. */
  isWhole(datasource: Datasource): boolean;
  /** The tables and views of its database. */
  tables(datasource: Datasource): readonly string[];
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
};
