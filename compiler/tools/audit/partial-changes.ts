/** Operations that make several changes and may fail after some of them. */
import type { ServiceView } from '../explain/service-view.js';
import type { Risk } from './risk.js';
import { changingSteps, requestsOf } from './what-changes.js';

export function partialChanges(view: ServiceView): Risk[] {
  return view.operations.flatMap((operation): Risk | [] => {
    const { plan, checked } = operation;
    const isStarted =
      plan.endpoint !== undefined || plan.triggers.length > 0 || view.analysis.deferred.has(plan.name);
    if (!isStarted || plan.transaction) return [];
    const changes = changingSteps(operation, view).filter(({ kind }) => kind === 'database');
    const isSeveral = changes.length > 1 || changes.some(({ isRepeated }) => isRepeated);
    // Changes in a called operation with its own transaction count as one change.
    const outside = changes.filter((change) => !change.operation.plan.transaction);
    if (!isSeveral || outside.length === 0) return [];
    const names = [...new Set(changes.map(({ step }) => `'${step.checked.written.name.value}'`))];
    const requests = requestsOf(operation, view);
    return {
      rule: 'no-transaction',
      // A transaction around requests is not a solution: it holds a connection and locks while waiting.
      severity: requests.length > 0 ? 'low' : 'medium',
      span: checked.operation.name.span,
      message: `After a failure in the middle, only a part of the changes of '${plan.name}' is made: ${names.join(', ')}${changes.some(({ isRepeated }) => isRepeated) ? ' in a loop' : ''}.`,
      hint:
        requests.length > 0
          ? `With 'transaction: true', it would hold its locks while it waits for third parties in ${requests.join(', ')}. Move the changes to another operation with 'transaction: true' and call it, unless each change is valid without the others.`
          : "Write 'transaction: true', unless each change is valid without the others.",
    };
  });
}
