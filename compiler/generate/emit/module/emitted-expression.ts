/** A generated expression with facts about its value. */
import { withoutElseNull, type Code } from '../../code/code.js';
import type { Kind } from '../../plan/model.js';
import type { ReadValue } from '../../plan/requests/request-read.js';
import type { RowPlan } from '../../plan/results/row-plan.js';

/** The type declared for the rows of a fulfillment. */
export interface RowType extends RowPlan {
  readonly name: string;
}

/**
 * The run-time value of a generated expression. rows: the rows of a database result; row: a single row; object: a JSON object or null;
 * list: the numbers of LIST; json: any JSON value; status: a number or null.
 */
export type CodeType =
  'rows' | 'row' | 'object' | 'list' | 'json' | 'text' | 'number' | 'boolean' | 'null' | 'status';

export interface EmittedExpression {
  readonly code: Code;
  readonly type: CodeType;
  /** Whether the value may be null or undefined although its type is rows or row. */
  readonly nullable?: boolean;
  /** The row type of rows or a row, if all columns are known. */
  readonly row?: RowType | undefined;
  /** Possible kinds of a json value according to its TypeScript type; any kind if omitted. */
  readonly kinds?: ReadonlySet<Kind>;
  /** Possible strings of a json value according to its TypeScript type; any string if omitted. */
  readonly words?: ReadonlySet<string>;
  /** Parts of a request value that have types. */
  readonly read?: ReadValue;
  /** If `== null` tests for rows: the number of rows, and the max number for which the test is true. */
  readonly missing?: { readonly size: EmittedExpression; readonly max: number } | undefined;
  /** Whether the code calls a helper that searches the value for a path. */
  readonly isSearched?: boolean;
  /** The value, if constant. */
  readonly constant?: string | number | boolean | null;
}

/** Whether the code converts undefined to null. */
export function mayBeUndefined({ code }: EmittedExpression): boolean {
  return withoutElseNull(code) !== code;
}

/** The code as an argument of a function that treats undefined like null. */
export function argument({ code }: EmittedExpression): Code {
  return withoutElseNull(code);
}
