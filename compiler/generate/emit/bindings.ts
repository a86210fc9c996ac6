/** The values that are bound to a statement. */
import type { ListPlan } from '../plan/results/list-plan.js';
import type { StatementPlan } from '../plan/operation-plan.js';
import { argument } from './module/emitted-expression.js';
import { emitExpression } from './expression.js';
import { property, stringLiteral } from '../../notation/typescript-writer.js';
import { isFile } from '../plan/model.js';
import type { Scope } from './scope.js';

/** The arguments of one call: the call, and the values where there are any. */
export function emitArguments(statement: StatementPlan, context: { readonly scope: Scope }): string {
  if (statement.list !== undefined)
    return `call, ${emitValues(statement, context)}, ${emitAsked(statement.list, context.scope)}`;
  return statement.sql.bindings.length === 0 ? 'call' : `call, ${emitValues(statement, context)}`;
}

/** What a call asks for of a list. */
function emitAsked({ asked }: ListPlan, scope: Scope): string {
  const fields = asked.map(({ field, value }) => property(field, argument(emitExpression(value, scope))));
  return `{ ${fields.join(', ')} }`;
}

/** The values as an array. */
export function emitValues(statement: StatementPlan, { scope }: { readonly scope: Scope }): string {
  return `[${emitBindings(statement, scope).join(', ')}]`;
}

/** One expression for each marker. MySQL would accept any value as a number of rows, so that is checked. */
function emitBindings({ sql, forms }: StatementPlan, scope: Scope): string[] {
  return sql.bindings.map((binding, index) => {
    if (isFile(binding)) return `${scope.module.runtime('fileBytes')}(call, ${stringLiteral(binding.part)})`;
    const text = argument(emitExpression(binding, scope));
    const count = sql.rowCounts.get(index);
    const form = count !== undefined && binding.kind !== 'number' ? count : forms.get(index);
    return form === undefined ? text : `${scope.module.runtime(form)}(${text})`;
  });
}
