/** The values that are bound to a statement. */
import type { ListPlan } from '../plan/results/list-plan.js';
import type { Expression } from '../plan/model.js';
import type { StatementPlan, StepPlan } from '../plan/operation-plan.js';
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

/** Whether some statement in the loop gets its element as a whole; `isInnermost` is false in loops inside. */
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

/** Whether the database may get the value as JSON. PostgreSQL reports that when the service runs. */
export function mayBeJson({ sql, forms }: StatementPlan, index: number): boolean {
  if (sql.dialect === 'postgresql') return true;
  const form = forms.get(index);
  const columns = [sql.types?.written, sql.types?.compared];
  return (
    form === 'jsonText' || (form === undefined && columns.some((of) => of?.columns[index] !== undefined))
  );
}

/** One expression for each marker. MySQL would accept any value as a number of rows, so that is checked. */
function emitBindings(statement: StatementPlan, scope: Scope): string[] {
  const { sql, forms } = statement;
  return sql.bindings.map((binding, index) => {
    if (isFile(binding)) return `${scope.module.runtime('fileBytes')}(call, ${stringLiteral(binding.part)})`;
    const text = argument(emitExpression(binding, scope, mayBeJson(statement, index) ? 'exact' : 'get'));
    const count = sql.rowCounts.get(index);
    const form = count !== undefined && binding.kind !== 'number' ? count : forms.get(index);
    return form === undefined ? text : `${scope.module.runtime(form)}(${text})`;
  });
}
