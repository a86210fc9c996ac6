/** Caches plans of operations between builds, valid while the operations and datasources that they use keep their names in code. */
import type { AnalyzedOperation } from '../../analyze/operations/analyzed-operation.js';
import type { CheckedDeferred, CheckedFulfillment, CheckedOperation } from '../../analyze/check/checked.js';
import type { Operation } from '../../read/config/config-model.js';
import { planOperation } from './operation.js';
import type { ServiceNames } from './names/service-names.js';
import type { OperationPlan } from './operation-plan.js';

interface Kept {
  /** The names used in the plan. */
  readonly key: string;
  readonly plan: OperationPlan;
}

export class PlansCache {
  /** Keyed by analysis: an operation that is analyzed again is planned again. */
  readonly #plans = new WeakMap<AnalyzedOperation, Kept>();

  /** `datasources`: names and identifiers of all datasources. */
  plan(checked: CheckedOperation, names: ServiceNames, datasources: unknown): OperationPlan {
    const { analyzed, operation, fulfillments } = checked;
    const called = [operation, ...calledBy(fulfillments)].map((one) => names.operation(one));
    const stored = deferredBy(fulfillments).map((one) => [
      one.outbox.name.value,
      names.storedCall(one, operation),
    ]);
    const key = JSON.stringify([called, datasources, names.debug, stored]);
    const known = this.#plans.get(analyzed);
    if (known?.key === key) return known.plan;
    const plan = planOperation(checked, names);
    this.#plans.set(analyzed, { key, plan });
    return plan;
  }
}

function calledBy(fulfillments: readonly CheckedFulfillment[]): Operation[] {
  return fulfillments.flatMap((fulfillment) => {
    if (fulfillment.type === 'reference' || fulfillment.type === 'deferred') return [fulfillment.called];
    return fulfillment.type === 'loop' ? calledBy(fulfillment.fulfillments) : [];
  });
}

function deferredBy(fulfillments: readonly CheckedFulfillment[]): CheckedDeferred[] {
  return fulfillments.flatMap((fulfillment) => {
    if (fulfillment.type === 'deferred') return [fulfillment];
    return fulfillment.type === 'loop' ? deferredBy(fulfillment.fulfillments) : [];
  });
}
