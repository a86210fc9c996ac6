/** The settings behind which the statements of a datasource run, as the policies of its tables read them (extensions 12.4). */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';

/** The statement that is sent before a statement, in the same transaction: its settings end with it. */
export interface QueryContext {
  readonly text: string;
  readonly values: readonly string[];
}

export interface RowContext {
  /** The context of a statement of the call. Throws a ServiceError (403) where its caller lacks a value. */
  of(call: Call): QueryContext;
  /** Throws a DatabaseFailure where policies would not hold on a new connection; `run` runs a statement on it, behind the context. */
  check(run: (text: string, context: QueryContext | undefined) => Promise<Row[]>): Promise<void>;
}
