/** Whether an expression in a list reads more than the element: such values are there once for each element. */
import { type Expression, contains } from '../plan/model.js';

const request = ['param', 'sent', 'body', 'caller', 'value-by-index', 'list'] as const;

/** True where it reads what belongs to the whole call: the request, or what loops have stored. */
export function readsCall(expression: Expression): boolean {
  return request.some((kind) => contains(expression, kind));
}

/** True for anything but constants and the element. */
export function readsOthers(expression: Expression): boolean {
  return readsCall(expression) || contains(expression, 'value') || contains(expression, 'result');
}
