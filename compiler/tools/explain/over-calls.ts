/**
 * Computes results for an operation and all operations that it calls, once per operation: many operations may call the same one, and calls
 * may form a cycle.
 */
import type { ViewedOperation } from './service-view.js';

/**
 * `find` computes the result for one operation, and calls `ask` for called operations. `Context` is everything else that the result depends
 * on, as a JSON value. Recursive calls of the same operation return `none`.
 */
export function overCalls<Context, Answer>(
  none: Answer,
  find: (
    operation: ViewedOperation,
    context: Context,
    ask: (called: ViewedOperation, context: Context) => Answer,
  ) => Answer,
): (operation: ViewedOperation, context: Context) => Answer {
  const known = new Map<string, Answer>();
  const ask = (operation: ViewedOperation, context: Context): Answer => {
    const key = JSON.stringify([operation.plan.name, context]);
    const answered = known.get(key);
    if (answered !== undefined) return answered;
    known.set(key, none);
    const answer = find(operation, context, ask);
    known.set(key, answer);
    return answer;
  };
  return ask;
}
