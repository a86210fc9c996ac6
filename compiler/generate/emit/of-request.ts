/** Whether the client chooses a value, so that a wrong one is its mistake. */
import { parts, readsRequest, type Expression } from '../plan/model.js';
import type { Scope } from './scope.js';

/** Whether a part of the value comes from the request, also as an element of one of its lists. */
export function isOfRequest(expression: Expression, scope: Scope): boolean {
  if (readsRequest(expression)) return true;
  if (expression.kind === 'element') return scope.element?.isOfRequest === true;
  if (expression.kind === 'value') return scope.results.get(expression.name)?.isOfRequest === true;
  return parts(expression).some((part) => isOfRequest(part, scope));
}
