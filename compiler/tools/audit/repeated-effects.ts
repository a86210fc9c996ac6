/** Effects of operations with an idempotency key that a rollback does not undo: a repetition after it has them again. */
import {
  allSteps,
  type ServiceView,
  type ViewedOperation,
  type ViewedStep,
} from '../explain/service-view.js';
import type { Risk } from './risk.js';

export function repeatedEffects(view: ServiceView): Risk[] {
  return view.operations.flatMap((operation) => {
    const { idempotency } = operation.checked.operation;
    if (idempotency === undefined) return [];
    const called = view.analysis.withCalled(operation.checked.operation);
    const reached = view.operations.filter(({ checked }) => called.has(checked.operation));
    return reached.flatMap((one) => effectsOf(one, operation.plan.name));
  });
}

function effectsOf(operation: ViewedOperation, keyed: string): Risk[] {
  return allSteps(operation).flatMap(({ viewed }): Risk | [] => {
    const effect = effectOf(viewed);
    if (effect === undefined) return [];
    const { name } = viewed.checked.written;
    return {
      ...{ rule: 'repeated-effect', severity: 'medium', span: name.span },
      message: `'${name.value}' ${effect}, which a rollback of '${keyed}' does not undo: when the client repeats its request, it happens again.`,
      hint:
        viewed.kind === 'code'
          ? 'Move the call to an operation that is called with deliver: afterCommit, unless the function only computes.'
          : 'Write deliver: afterCommit.',
    };
  });
}

/** The effect of the step outside of the database. */
function effectOf({ kind, step }: ViewedStep): string | undefined {
  if (kind === 'code') return 'calls user code';
  if (step.kind !== 'data') return undefined;
  const actions = step.choices.map(({ action }) => action);
  if (actions.some((action) => action.kind === 'message' && !action.isDelivered))
    return 'sends a mail before the commit';
  const isSent = actions.some(
    (action) => action.kind === 'request' && !action.isDelivered && !/^(?:GET|HEAD)$/.test(action.method),
  );
  return isSent ? 'sends a request before the commit' : undefined;
}
