/** The values that are bound to a statement. */
import type { StatementPlan } from '../plan/operation.js';
import { emitExpression, type Scope } from './expression.js';

/** The values as an array. */
export function emitValues(statement: StatementPlan, { scope }: { readonly scope: Scope }): string {
  return `[${emitBindings(statement, scope).join(', ')}]`;
}

/**
 * One expression for each marker. MySQL would take anything for a number of rows, so that is checked, and moments with a
 * zone for none, so they are brought to UTC.
 */
function emitBindings({ sql, moments }: StatementPlan, scope: Scope): string[] {
  return sql.bindings.map((binding, index) => {
    const { text } = emitExpression(binding, scope);
    const count = sql.rowCounts.get(index);
    const reading = count !== undefined && binding.kind !== 'number' ? count : moments.get(index);
    return reading === undefined ? text : `${scope.module.runtime(reading)}(${text})`;
  });
}
