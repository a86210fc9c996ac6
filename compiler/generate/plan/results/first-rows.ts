/** Results of which an operation only reads the first row; the variable in its handler holds that row. */
import type { Fulfillment, Operation } from '../../../read/config/config-model.js';
import { walkOperation } from '../../../read/config/walk.js';
import type { Expression } from '../../../read/expression/ast.js';
import { parts } from '../../../read/expression/visit.js';
import { sourcesOf, type Body } from '../../../analyze/mapping/body-parts.js';
import { presenceIn } from '../presence.js';

/** Fulfillments of which more than the first row is read: another row, all rows, or their number. */
export function moreThanFirstRow(whole: Operation, bodies: readonly Body[]): ReadonlySet<Fulfillment> {
  const found = new Set<Fulfillment>();
  const add = (name: string, visible: ReadonlyMap<string, Fulfillment>): void => {
    const fulfillment = visible.get(name);
    if (fulfillment !== undefined) found.add(fulfillment);
  };
  const mapped = new Map(whole.fulfillments.map((fulfillment) => [fulfillment.name.value, fulfillment]));
  for (const { fulfillment, steps } of bodies.flatMap(sourcesOf))
    for (const name of [fulfillment, ...steps.map(({ to }) => to)]) add(name, mapped);
  walkOperation({ ...whole, mappings: [] }, (expression, { visible }) => {
    for (const name of namesOfMore(expression)) add(name, visible);
  });
  return found;
}

function namesOfMore(expression: Expression): string[] {
  switch (expression.kind) {
    case 'comparison':
      if (presenceIn(expression) !== undefined) return [];
      break;
    case 'value':
      return isOfFirstRow(expression.path) ? [] : [expression.name];
    case 'result':
      return [expression.name];
    default:
      break;
  }
  return parts(expression).flatMap(namesOfMore);
}

/** Whether the path reads the first row, such as `$.title`, `$[0]` or `$[0].title`. */
function isOfFirstRow([step, next]: Extract<Expression, { kind: 'value' }>['path']): boolean {
  if (step?.kind === 'index') return step.index === 0 && (next === undefined || next.kind === 'name');
  return step?.kind === 'name';
}
