/** The values that are bound to a statement. */
import type { StatementPlan } from '../plan/operation.js';
import type { SqlStatement } from '../sql/statement.js';
import { emitExpression, type Scope } from './expression.js';

/** The values as an array. */
export function emitValues({ sql }: StatementPlan, { scope }: { readonly scope: Scope }): string {
  return `[${emitBindings(sql, scope).join(', ')}]`;
}

/** One expression for each marker; on MySQL a number of rows is checked, since the server would take anything for one. */
function emitBindings({ bindings, rowCounts }: SqlStatement, scope: Scope): string[] {
  return bindings.map((binding, index) => {
    const { text } = emitExpression(binding, scope);
    const count = rowCounts.get(index);
    return count === undefined || binding.kind === 'number'
      ? text
      : `${scope.module.runtime(count)}(${text})`;
  });
}
