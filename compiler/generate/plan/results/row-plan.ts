/** Row types of a fulfillment, for its handler. */
import { resultColumnsOf } from '../../../read/sql/facts/result-columns.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import { either } from '../../../analyze/types/join-types.js';
import type { Fields, ValueType } from '../../../analyze/types/value-type.js';

/** All columns of the rows. */
export interface RowPlan {
  /** Columns in the order of the first statement. */
  readonly columns: ReadonlyMap<string, ValueType>;
  /** Whether all statements list these columns in this order, so that rows have no further columns even if a table gets more. */
  readonly isListed: boolean;
  /** Whether servers may return the names in a different letter case; the statement then declares their spelling. */
  readonly isSpelledByServer: boolean;
}

/**
 * `rows` are the rows that each of the fulfillment's statements returns. Undefined if not all columns are known or the statements differ.
 */
export function planRow(
  statements: readonly SqlStatement[],
  rows: ReadonlyMap<SqlStatement, ValueType>,
): RowPlan | undefined {
  const fields = statements.map((statement) => rows.get(statement)?.element?.fields);
  const plans = fields.map(rowOf);
  const [first, ...others] = plans;
  if (first === undefined) return undefined;
  let joined = first;
  const names = [...first.keys()].join();
  for (const other of others) {
    if (other?.size !== joined.size) return undefined;
    const both = new Map<string, ValueType>();
    for (const [name, type] of joined) {
      const own = other.get(name);
      if (own === undefined) return undefined;
      both.set(name, either(type, own));
    }
    joined = both;
  }
  const areAlike = others.every((other) => other !== undefined && [...other.keys()].join() === names);
  return {
    columns: joined,
    isListed: areAlike && statements.every(listsColumns),
    isSpelledByServer: fields.some((one) => one?.isSpelledByServer === true),
  };
}

/** False for `*` and for an added RETURNING clause. */
function listsColumns(statement: SqlStatement): boolean {
  return resultColumnsOf(statement)?.isListed === true;
}

function rowOf(fields: Fields | undefined): ReadonlyMap<string, ValueType> | undefined {
  if (fields?.isClosed !== true || fields.inAnyCase === true || fields.names.length === 0) return undefined;
  const columns = new Map<string, ValueType>();
  for (const name of fields.names) {
    const type = fields.typeOf(name);
    if (type === undefined) return undefined;
    columns.set(name, type);
  }
  return columns;
}
