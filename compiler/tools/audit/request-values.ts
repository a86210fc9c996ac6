/** Whether a value comes from the request: from PARAM, BODY, or the element of a loop over them. */
import type { LoopFulfillment, Operation } from '../../read/config/config-model.js';
import { loopAround, loopNamed } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import { nodesIn, readsRequest } from '../../read/expression/visit.js';

/** `loop` is the innermost enclosing loop. */
export function isOfRequest(
  expression: Expression,
  operation: Operation,
  loop: LoopFulfillment | undefined,
): boolean {
  if (readsRequest(expression)) return true;
  return nodesIn(expression).some((node) => {
    const around =
      node.kind === 'element'
        ? loop
        : node.kind === 'value'
          ? loopNamed(node.name, operation, loop)
          : undefined;
    return around?.loop !== undefined && isOfRequest(around.loop, operation, loopAround(around, operation));
  });
}
