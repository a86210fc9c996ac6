/** What is known of the rows of a fulfillment, so that its handler has a type for them. */
import { inheritedNames } from '../expression/inherited-names.js';
import type { SqlStatement } from '../sql/statement.js';
import { either } from '../types/join-types.js';
import type { Fields, ValueType } from '../types/value-type.js';

/** All columns of the rows. */
export interface RowPlan {
  /** In the order of the first statement. */
  readonly columns: ReadonlyMap<string, ValueType>;
  /** Whether the others have the same order. */
  readonly isOrdered: boolean;
}

/** `rows`: what each of the fulfillment's statements returns. Undefined if not all columns are known, or if the statements differ. */
export function planRow(
  statements: readonly SqlStatement[],
  rows: ReadonlyMap<SqlStatement, ValueType>,
): RowPlan | undefined {
  const plans = statements.map((statement) => rowOf(rows.get(statement)?.element?.fields));
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
  const isOrdered = others.every((other) => other !== undefined && [...other.keys()].join() === names);
  return { columns: joined, isOrdered };
}

function rowOf(fields: Fields | undefined): ReadonlyMap<string, ValueType> | undefined {
  if (fields?.isClosed !== true || fields.inAnyCase === true || fields.names.length === 0) return undefined;
  const columns = new Map<string, ValueType>();
  for (const name of fields.names) {
    const type = fields.typeOf(name);
    if (type === undefined || inheritedNames.has(name)) return undefined;
    columns.set(name, type);
  }
  return columns;
}
