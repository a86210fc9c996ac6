/** Whether a failure of an operation can leave some of its changes in place. */
import { overCalls } from './over-calls.js';
import { allSteps, type ServiceView, type ViewedOperation, type ViewedStep } from './service-view.js';

/** Whether something that may fail follows a change that no transaction rolls back. */
export function leavesAPart(operation: ViewedOperation, view: ServiceView): boolean {
  const sentBy = overCalls<CallContext, Sent>(nothing, (one, context, ask) => {
    const inTransaction = context.inTransaction || one.plan.transaction;
    return allSteps(one).reduce((before, { viewed: step, loops }) => {
      const isRepeated = context.isRepeated || loops.length > 0;
      return inOrder(before, sentByStep(step, { inTransaction, isRepeated }, view, ask));
    }, nothing);
  });
  return sentBy(operation, { inTransaction: false, isRepeated: false }).leavesAPart;
}

/** Requests and changes sent by steps, in order. */
interface Sent {
  readonly isAny: boolean;
  /** Whether they include a change that no transaction rolls back. */
  readonly stays: boolean;
  /** Whether something that may fail follows such a change. */
  readonly leavesAPart: boolean;
}

const nothing: Sent = { isAny: false, stays: false, leavesAPart: false };

interface CallContext {
  readonly inTransaction: boolean;
  readonly isRepeated: boolean;
}

function inOrder(first: Sent, second: Sent): Sent {
  return {
    isAny: first.isAny || second.isAny,
    stays: first.stays || second.stays,
    leavesAPart: first.leavesAPart || second.leavesAPart || (first.stays && second.isAny),
  };
}

function sentByStep(
  viewed: ViewedStep,
  context: CallContext,
  view: ServiceView,
  ask: (called: ViewedOperation, context: CallContext) => Sent,
): Sent {
  // A stored call is part of the transaction.
  if (viewed.kind === 'loop' || viewed.kind === 'compute' || viewed.kind === 'deferred') return nothing;
  if (viewed.kind === 'reference') return ask(view.called(viewed.step.called.name), context);
  // The effects of user code are unknown, so it counts as a change.
  const isChange = viewed.kind === 'code' || stays(viewed, context.inTransaction);
  return { isAny: true, stays: isChange, leavesAPart: isChange && context.isRepeated };
}

function stays({ step }: ViewedStep & { kind: 'data' }, inTransaction: boolean): boolean {
  return step.choices.some(({ action }) =>
    action.kind === 'message'
      ? !action.isDelivered
      : action.kind === 'request'
        ? action.method !== 'GET' && action.method !== 'HEAD'
        : action.use === 'UPDATE' && !inTransaction,
  );
}
