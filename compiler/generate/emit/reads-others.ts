/** Whether an expression in a list reads more than the element: such values are repeated for each element. */
import { contains, readsRequest, type Expression } from '../plan/model.js';

/** Whether the expression reads data of the whole call (the request, or results stored by loops), or calls a user function, which may take long. */
export function readsCall(expression: Expression): boolean {
  return (
    readsRequest(expression) ||
    contains(
      expression,
      ...([
        'caller',
        'address',
        'value-by-index',
        'status-by-index',
        'failure-by-index',
        'list',
        'code',
      ] as const),
    )
  );
}

/** Whether the expression reads anything but constants and the element. */
export function readsOthers(expression: Expression): boolean {
  return readsCall(expression) || contains(expression, 'value', 'result');
}
