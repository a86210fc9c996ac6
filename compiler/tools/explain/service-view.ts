/** A compiled service, for tools that explain it: the plan of each operation, with its checked form. */
import type { Analysis } from '../../analyze/operations/analysis.js';
import type {
  CheckedCode,
  CheckedCompute,
  CheckedService,
  CheckedData,
  CheckedDeferred,
  CheckedFulfillment,
  CheckedLoop,
  CheckedOperation,
  CheckedReference,
} from '../../analyze/check/checked.js';
import {
  plan as planOf,
  type DatabasePlan,
  type DatasourcePlan,
  type RestPlan,
  type ServicePlan,
  type SmtpPlan,
} from '../../generate/plan/plan.js';
import type { DatasourceIdentifier } from '../../generate/plan/names/identifiers.js';
import { known } from '../../generate/plan/names/service-names.js';
import type { RequestPlan } from '../../generate/plan/requests/request-plan.js';
import type { Retry } from '../../read/config/config-model.js';
import type {
  CodeStep,
  ComputeStep,
  DataStep,
  DeferredStep,
  LoopStep,
  OperationPlan,
  ReferenceStep,
  StepPlan,
} from '../../generate/plan/operation-plan.js';

export interface ViewedOperation {
  readonly plan: OperationPlan;
  readonly checked: CheckedOperation;
}

/** A step with its fulfillment. */
export type ViewedStep =
  | { readonly kind: 'data'; readonly step: DataStep; readonly checked: CheckedData }
  | { readonly kind: 'loop'; readonly step: LoopStep; readonly checked: CheckedLoop }
  | { readonly kind: 'reference'; readonly step: ReferenceStep; readonly checked: CheckedReference }
  | { readonly kind: 'deferred'; readonly step: DeferredStep; readonly checked: CheckedDeferred }
  | { readonly kind: 'code'; readonly step: CodeStep; readonly checked: CheckedCode }
  | { readonly kind: 'compute'; readonly step: ComputeStep; readonly checked: CheckedCompute };

export class ServiceView {
  readonly analysis: Analysis;
  /** Operations in configuration order. */
  readonly operations: readonly ViewedOperation[];
  readonly #byName: ReadonlyMap<string, ViewedOperation>;
  readonly #datasources: ReadonlyMap<DatasourceIdentifier, DatasourcePlan>;

  readonly plan: ServicePlan;

  constructor(service: CheckedService) {
    const plan = planOf(service);
    this.plan = plan;
    this.analysis = service.analysis;
    this.operations = service.operations.map((operation, index) => ({
      plan: known(plan.operations[index]),
      checked: operation,
    }));
    this.#byName = new Map(this.operations.map((operation) => [operation.plan.name, operation]));
    this.#datasources = new Map(plan.datasources.map((datasource) => [datasource.identifier, datasource]));
  }

  /** Undefined if there is no operation with this name. */
  find(name: string): ViewedOperation | undefined {
    return this.#byName.get(name);
  }

  /** The operation called by a reference. */
  called(name: string): ViewedOperation {
    return known(this.#byName.get(name));
  }

  /** The datasource with the identifier used by statements and requests. */
  datasource(identifier: DatasourceIdentifier): DatasourcePlan {
    return known(this.#datasources.get(identifier));
  }

  /** The datasource of a step; undefined if the step has no instructions. */
  datasourceOf({ choices }: DataStep): DatasourcePlan | undefined {
    const [choice] = choices;
    return choice && this.datasource(choice.action.datasource);
  }

  /** Databases in configuration order. */
  get databases(): readonly DatabasePlan[] {
    return this.plan.datasources.filter((datasource) => datasource.type === 'db');
  }

  /** Third parties and mail servers in configuration order. */
  get thirdParties(): readonly (RestPlan | SmtpPlan)[] {
    return this.plan.datasources.filter((datasource) => datasource.type !== 'db');
  }
}

/** The retries of the request, or else of its datasource. */
export function retryOf({ retry, datasource }: RequestPlan, view: ServiceView): Retry | undefined {
  const owner = view.datasource(datasource);
  return retry ?? (owner.type === 'rest' ? owner.retry : undefined);
}

/** The steps in order, with their fulfillments. */
export function viewedSteps(
  steps: readonly StepPlan[],
  fulfillments: readonly CheckedFulfillment[],
): ViewedStep[] {
  return steps.map((step, index) => viewed(step, known(fulfillments[index])));
}

/** The steps of an operation including nested ones, with their enclosing loops, outermost first. */
export function allSteps({ plan, checked }: ViewedOperation): {
  readonly viewed: ViewedStep;
  readonly loops: readonly (ViewedStep & { kind: 'loop' })[];
}[] {
  const inside = (
    steps: readonly ViewedStep[],
    loops: readonly (ViewedStep & { kind: 'loop' })[],
  ): ReturnType<typeof allSteps> =>
    steps.flatMap((step) => [
      { viewed: step, loops },
      ...(step.kind === 'loop'
        ? inside(viewedSteps(step.step.steps, step.checked.fulfillments), [...loops, step])
        : []),
    ]);
  return inside(viewedSteps(plan.steps, checked.fulfillments), []);
}

function viewed(step: StepPlan, checked: CheckedFulfillment): ViewedStep {
  if (step.kind === 'data' && checked.type === 'data') return { kind: 'data', step, checked };
  if (step.kind === 'loop' && checked.type === 'loop') return { kind: 'loop', step, checked };
  if (step.kind === 'reference' && checked.type === 'reference') return { kind: 'reference', step, checked };
  if (step.kind === 'deferred' && checked.type === 'deferred') return { kind: 'deferred', step, checked };
  if (step.kind === 'code' && checked.type === 'code') return { kind: 'code', step, checked };
  if (step.kind === 'compute' && checked.type === 'compute') return { kind: 'compute', step, checked };
  throw new Error(`The plan of '${step.fulfillment}' is that of another fulfillment.`);
}
