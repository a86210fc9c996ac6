/** A piece of a generated expression with facts about its value. */
import { withoutElseNull, type Code } from '../../code/code.js';
import type { Kind } from '../../plan/model.js';
import type { ReadValue } from '../../plan/requests/request-read.js';
import type { RowPlan } from '../../plan/results/row-plan.js';

/** The type that a handler declares for the rows of a fulfillment. */
export interface RowType extends RowPlan {
  readonly name: string;
}

/**
 * The value of a generated expression when the service runs. rows: the list of rows of a database result; row: one of them; object: a JSON
 * object or null; list: the numbers of LIST; json: any JSON value; status: a number or null.
 */
export type CodeType =
  'rows' | 'row' | 'object' | 'list' | 'json' | 'text' | 'number' | 'boolean' | 'null' | 'status';

export interface EmittedExpression {
  readonly code: Code;
  readonly type: CodeType;
  /** True when the value may be null or undefined although its type is rows or row. */
  readonly nullable?: boolean;
  /** Of rows and a row: its type, where all columns are known. */
  readonly row?: RowType | undefined;
  /** The kinds that a json value can have by its TypeScript type; anything where they are left out. */
  readonly kinds?: ReadonlySet<Kind>;
  /** The strings that a json value can be by its TypeScript type; any where they are left out. */
  readonly words?: ReadonlySet<string>;
  /** The parts of a value of the request that have types. */
  readonly read?: ReadValue;
  /** Where `== null` asks for rows: how many there are, and how many there are at most when it is null. */
  readonly missing?: { readonly size: EmittedExpression; readonly max: number } | undefined;
  /** True when the code calls a helper that searches the value for its path. */
  readonly isSearched?: boolean;
  /** The value, where it is constant. */
  readonly constant?: string | number | boolean | null;
}

/** Whether the code makes null of an undefined value. */
export function mayBeUndefined({ code }: EmittedExpression): boolean {
  return withoutElseNull(code) !== code;
}

/** The code as an argument of a function for which undefined is null. */
export function argument({ code }: EmittedExpression): Code {
  return withoutElseNull(code);
}
