/** Whether a fulfillment's result is read as a list, and not only for its first row or its existence. */
import { walkOperation } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import { parts } from '../../read/expression/visit.js';
import type { Body, RowSource } from '../../analyze/mapping/body-parts.js';
import type { ViewedOperation } from '../explain/service-view.js';

export function isReadAsList(fulfillment: string, { plan, checked }: ViewedOperation): boolean {
  const isMapped = plan.responses.some(({ mapped }) =>
    mapped === undefined ? false : listsIn(mapped).some((source) => source.fulfillment === fulfillment),
  );
  let isRead = isMapped;
  walkOperation(checked.operation, (expression) => {
    isRead ||= readsList(expression, fulfillment);
  });
  return isRead;
}

function readsList(expression: Expression, name: string): boolean {
  switch (expression.kind) {
    case 'value': {
      const [first] = expression.path;
      // A name reads a field of the first row.
      return expression.name === name && (first === undefined || first.kind === 'all');
    }
    case 'result':
      return expression.name === name;
    case 'size':
      // A size does not count: the list is either read elsewhere as well, or not read at all.
      return false;
    case 'comparison':
      return [expression.left, expression.right].some(
        (side) => side.kind !== 'value' && side.kind !== 'result' && readsList(side, name),
      );
    default:
      return parts(expression).some((part) => readsList(part, name));
  }
}

/** The fulfillments whose rows a mapped body iterates over; a fulfillment of which only the first row is needed is omitted. */
function listsIn(body: Body): RowSource[] {
  switch (body.kind) {
    case 'object':
      return body.fields.flatMap(({ value }) => listsIn(value));
    case 'entries': {
      const own = body.of.map(({ of }) => of);
      // A first row found by a join is searched for in all rows.
      return [...own.filter(({ steps }) => body.take === 'every' || steps.length > 0), ...listsIn(body.item)];
    }
    case 'row':
    case 'single':
      return listsIn(body.item);
    case 'column':
      return [body.of];
    case 'value':
      return [];
  }
}
