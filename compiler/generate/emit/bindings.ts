/** Values bound to statements. */
import type { ListPlan } from '../plan/results/list-plan.js';
import type { Expression } from '../plan/model.js';
import type { StatementPlan, StepPlan } from '../plan/operation-plan.js';
import { array, call, field, literal, object, type Code } from '../code/code.js';
import { argument } from './module/emitted-expression.js';
import { emitExpression, theCall } from './expression.js';
import { isFile } from '../plan/model.js';
import type { Scope } from './scope.js';

/** The arguments of one call: the statement, and its values if there are any. */
export function emitArguments(statement: StatementPlan, context: { readonly scope: Scope }): Code[] {
  const { list, sql } = statement;
  if (list !== undefined) return [theCall, emitValues(statement, context), emitAsked(list, context.scope)];
  return sql.bindings.length === 0 ? [theCall] : [theCall, emitValues(statement, context)];
}

/** The list parameters that a call passes. */
function emitAsked({ asked }: ListPlan, scope: Scope): Code {
  return object(asked.map((one) => field(one.field, argument(emitExpression(one.value, scope)))));
}

/** The bound values as an array. */
export function emitValues(statement: StatementPlan, { scope }: { readonly scope: Scope }): Code {
  return array(emitBindings(statement, scope));
}

/** Whether a statement in the loop binds the whole loop element; `isInnermost` is false for outer loops. */
export function bindsElement(steps: readonly StepPlan[], name: string, isInnermost = true): boolean {
  const isElement = (value: Expression): boolean =>
    value.kind === 'coalesce'
      ? value.parts.some(isElement)
      : (value.kind === 'value' && value.name === name && value.path.length === 0) ||
        (value.kind === 'element' && isInnermost && value.path.length === 0);
  return steps.some((step) => {
    if (step.kind === 'loop') return bindsElement(step.steps, name, false);
    if (step.kind !== 'data') return false;
    return step.choices.some(
      ({ action }) =>
        action.kind === 'statement' &&
        action.sql.bindings.some(
          (binding, index) => !isFile(binding) && mayBeJson(action, index) && isElement(binding),
        ),
    );
  });
}

/** Whether the database may receive the value as JSON. For PostgreSQL, this is only known at run time. */
export function mayBeJson({ sql, forms }: StatementPlan, index: number): boolean {
  if (sql.dialect === 'postgresql') return true;
  const form = forms.get(index);
  const columns = [sql.types?.written, sql.types?.compared];
  return (
    form === 'jsonText' || (form === undefined && columns.some((of) => of?.columns[index] !== undefined))
  );
}

/** One expression per placeholder. MySQL would accept any value as a number of rows, so such values are checked. */
function emitBindings(statement: StatementPlan, scope: Scope): Code[] {
  const { sql, forms } = statement;
  return sql.bindings.map((binding, index) => {
    if (isFile(binding)) return call(scope.module.runtime('fileBytes'), theCall, literal(binding.part));
    const value = argument(emitExpression(binding, scope, mayBeJson(statement, index) ? 'exact' : 'get'));
    const count = sql.rowCounts.get(index);
    const form = count !== undefined && binding.kind !== 'number' ? count : forms.get(index);
    return form === undefined ? value : call(scope.module.runtime(form), value);
  });
}
