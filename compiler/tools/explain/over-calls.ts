/** Questions about an operation and all that it calls, answered once for each operation: many may call one, and calls may form a cycle. */
import type { ViewedOperation } from './service-view.js';

/**
 * `find` answers for one operation, and uses `ask` for the operations that it calls. `Context` is everything else on which an answer
 * depends, as a JSON value. The answer for an operation inside its own question is `none`.
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
