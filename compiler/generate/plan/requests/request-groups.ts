/** The requests that an operation sends at the same time (`together`). */
import type { CheckedFulfillment, CheckedOperation } from '../../../analyze/check/checked.js';
import { requestGroups } from '../../../analyze/operations/requests/together.js';
import type { DataFulfillment, Operation, Together } from '../../../read/config/config-model.js';
import type { DataStep, OverlapPlan, StepPlan } from '../operation-plan.js';

/** The groups of at least two requests, by the first step of each. */
export function planRequestGroups(
  { operation, fulfillments }: CheckedOperation,
  steps: readonly StepPlan[],
): OverlapPlan['requests'] {
  const found = new Map<StepPlan, readonly DataStep[]>();
  collect({ operation, fulfillments, steps, together: operation.together }, found);
  return found;
}

/** Fulfillments next to each other, with their steps. */
interface Row {
  readonly operation: Operation;
  readonly fulfillments: readonly CheckedFulfillment[];
  readonly steps: readonly StepPlan[];
  readonly together: Together | undefined;
}

function collect(
  { operation, fulfillments, steps, together }: Row,
  found: Map<StepPlan, readonly DataStep[]>,
): void {
  const requests = new Map<DataFulfillment, DataStep>();
  for (const [index, one] of fulfillments.entries()) {
    const step = steps[index];
    if (one.type === 'data' && one.datasource.type === 'rest' && step?.kind === 'data')
      requests.set(one.written, step);
  }
  const written = fulfillments.map((one) => one.written);
  const site = {
    ...{ operation, fulfillments: written },
    isRequest: (one: DataFulfillment) => requests.has(one),
  };
  for (const group of together === undefined ? [] : requestGroups(site, together === 'effects')) {
    const all = group.fulfillments.flatMap((one) => requests.get(one) ?? []);
    const [first] = all;
    if (first !== undefined && all.length > 1) found.set(first, all);
  }
  for (const [index, one] of fulfillments.entries()) {
    const step = steps[index];
    if (one.type === 'loop' && step?.kind === 'loop')
      collect(
        { operation, fulfillments: one.fulfillments, steps: step.steps, together: one.written.together },
        found,
      );
  }
}
