/** Whether a failure of an operation can leave a part of its changes. */
import { allSteps, type ServiceView, type ViewedOperation, type ViewedStep } from './service-view.js';

/** Whether something that may fail follows a change that no transaction rolls back. */
export function leavesAPart(operation: ViewedOperation, view: ServiceView): boolean {
  const sent = sentInOrder(operation, view, { inTransaction: false, isRepeated: false, open: [] });
  const last = sent.length - 1;
  return sent.some(({ stays, isRepeated }, index) => stays && (index < last || isRepeated));
}

interface Sent {
  readonly stays: boolean;
  readonly isRepeated: boolean;
}

interface CallContext {
  readonly inTransaction: boolean;
  readonly isRepeated: boolean;
  /** The operations that are being visited: calls may form a cycle. */
  readonly open: readonly string[];
}

function sentInOrder(operation: ViewedOperation, view: ServiceView, context: CallContext): Sent[] {
  const { name, transaction } = operation.plan;
  if (context.open.includes(name)) return [];
  const inTransaction = context.inTransaction || transaction;
  const open = [...context.open, name];
  return allSteps(operation).flatMap(({ viewed, loops }): Sent[] => {
    const isRepeated = context.isRepeated || loops.length > 0;
    if (viewed.kind === 'reference')
      return sentInOrder(view.called(viewed.step.called.name), view, { inTransaction, isRepeated, open });
    // Nobody knows what own code does.
    if (viewed.kind === 'code') return [{ stays: true, isRepeated }];
    return viewed.kind === 'data' ? [{ stays: stays(viewed, inTransaction), isRepeated }] : [];
  });
}

function stays({ step }: ViewedStep & { kind: 'data' }, inTransaction: boolean): boolean {
  return step.choices.some(({ action }) =>
    action.kind === 'request'
      ? action.method !== 'GET' && action.method !== 'HEAD'
      : action.use === 'UPDATE' && !inTransaction,
  );
}
