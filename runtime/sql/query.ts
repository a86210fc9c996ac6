/** What a driver is given to run. */
import type { SqlValue } from './sql-value.js';

/** One statement for the driver: its text with markers, and a value for each. */
export interface Query {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** Whether a string at this place is JSON text where JSON is expected, and no string: a parameter that nothing declares. */
  readonly isJsonText?: ((place: number) => boolean) | undefined;
  readonly columns?: ValueColumns;
  readonly use: 'read' | 'update';
  /** It may change data: where its connection ends before the answer, nobody knows whether it did. */
  readonly changes: boolean;
  /** The database does it as a whole or not at all. */
  readonly atomic: boolean;
  /** True where a failure would undo what ran before: nothing is tried that may have to be tried again. */
  readonly inTransaction?: boolean;
  /** True where others behind it must not overtake it: whoever sent it tries again, not the driver. */
  readonly inOrder?: boolean;
}

/** A SELECT, never run, whose columns have the types of the statement's values; NULL for a value that is given to no column. */
export interface ValueColumns {
  readonly text: string;
  /** For each of the query's values, which of the columns is its own; undefined where they agree. */
  readonly origins?: readonly number[] | undefined;
}
