/** A service that compiles, for tools that explain it: the plan of each operation, with its checked form. */
import type { Analysis } from '../../analyze/operations/analysis.js';
import type {
  CheckedCode,
  CheckedService,
  CheckedData,
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
} from '../../generate/plan/plan.js';
import type { DatasourceIdentifier } from '../../generate/plan/names/identifiers.js';
import { known } from '../../generate/plan/names/service-names.js';
import type { RequestPlan } from '../../generate/plan/requests/request-plan.js';
import type { Retry } from '../../read/config/config-model.js';
import type {
  CodeStep,
  DataStep,
  LoopStep,
  OperationPlan,
  ReferenceStep,
  StepPlan,
} from '../../generate/plan/operation-plan.js';

export interface ViewedOperation {
  readonly plan: OperationPlan;
  readonly checked: CheckedOperation;
}

/** A step with the fulfillment that it is the plan of. */
export type ViewedStep =
  | { readonly kind: 'data'; readonly step: DataStep; readonly checked: CheckedData }
  | { readonly kind: 'loop'; readonly step: LoopStep; readonly checked: CheckedLoop }
  | { readonly kind: 'reference'; readonly step: ReferenceStep; readonly checked: CheckedReference }
  | { readonly kind: 'code'; readonly step: CodeStep; readonly checked: CheckedCode };

export class ServiceView {
  readonly analysis: Analysis;
  /** In the order of the configuration. */
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

  /** Undefined where no operation has that name. */
  find(name: string): ViewedOperation | undefined {
    return this.#byName.get(name);
  }

  /** The operation of that name, which a reference has. */
  called(name: string): ViewedOperation {
    return known(this.#byName.get(name));
  }

  /** By the identifier that statements and requests have. */
  datasource(identifier: DatasourceIdentifier): DatasourcePlan {
    return known(this.#datasources.get(identifier));
  }

  /** The datasource of a step; undefined for a step without instructions. */
  datasourceOf({ choices }: DataStep): DatasourcePlan | undefined {
    const [choice] = choices;
    return choice && this.datasource(choice.action.datasource);
  }

  /** The databases, in the order of the configuration. */
  get databases(): readonly DatabasePlan[] {
    return this.plan.datasources.filter((datasource) => datasource.type === 'db');
  }

  /** The third parties, in the order of the configuration. */
  get thirdParties(): readonly RestPlan[] {
    return this.plan.datasources.filter((datasource) => datasource.type === 'rest');
  }
}

/** That of the request, else of its datasource. */
export function retryOf({ retry, datasource }: RequestPlan, view: ServiceView): Retry | undefined {
  const owner = view.datasource(datasource);
  return retry ?? (owner.type === 'rest' ? owner.retry : undefined);
}

/** The steps in order, each with its fulfillment. */
export function viewedSteps(
  steps: readonly StepPlan[],
  fulfillments: readonly CheckedFulfillment[],
): ViewedStep[] {
  return steps.map((step, index) => viewed(step, known(fulfillments[index])));
}

/** The steps of an operation, those inside loops included, each with the loops around it, from the outermost in. */
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
  if (step.kind === 'code' && checked.type === 'code') return { kind: 'code', step, checked };
  throw new Error(`The plan of '${step.fulfillment}' is that of another fulfillment.`);
}
