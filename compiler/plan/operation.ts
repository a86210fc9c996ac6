/** The plan of one operation: its statements, its steps in order, and which response is chosen when. */
import type { AnalyzedOperation } from '../analyze/analyzed-operation.js';
import type {
  DataFulfillment,
  Fulfillment,
  LoopFulfillment,
  Operation,
  Trigger,
} from '../config/config-model.js';
import type { Expression } from '../expression/ast.js';
import type { ApiSchema } from '../openapi/api-model.js';
import { lowerSql } from '../sql/lower.js';
import type { ValueKind } from '../sql/value-kind.js';
import { planOverlap } from './overlap.js';
import type {
  CalledOperation,
  ChoicePlan,
  DataStep,
  OperationPlan,
  StepBase,
  StepPlan,
  TriggerPlan,
} from './steps.js';
import type { DeclaredValues } from '../analyze/declared-values.js';
import { boundForms } from './bound-forms.js';
import { planRequest } from './request-plan.js';
import { sourceOf } from './sources.js';
import { Usage } from './usage.js';
import { kindOfValue } from '../analyze/kind-of-value.js';

/** What an operation has to know of a datasource. */
export interface DatasourceName {
  readonly identifier: string;
  /** True when requests may give a path below its URL. */
  readonly hasUrl: boolean;
}

/** What an operation has to know of the rest of the service. */
export interface ServiceNames {
  readonly datasources: ReadonlyMap<string, DatasourceName>;
  readonly operations: ReadonlyMap<string, CalledOperation>;
  /** Whether handlers tell the traces of the test page what they do. */
  readonly debug: boolean;
  /** What the API description says of the values that operations read. */
  readonly declared: DeclaredValues;
}

export function planOperation(analyzed: AnalyzedOperation, names: ServiceNames): OperationPlan {
  const { operation, flow } = analyzed;
  const { bodies } = analyzed.mapped;
  const own = names.operations.get(operation.name.value);
  if (own === undefined) throw new Error(`Operation '${operation.name.value}' has no names.`);
  const conditional = operation.responses.filter(
    (response) => !response.default && response.if !== undefined,
  );
  const standard = operation.responses.filter((response) => response.default);
  const planner = new StepPlanner(names, operation, new Usage(operation, [...bodies.values()]));
  const steps = planner.steps(operation.fulfillments);
  const hasUploads = [...names.operations.values()].some(({ readsFiles }) => readsFiles);
  return {
    ...own,
    syntax: operation.syntax,
    endpoint: operation.endpoint,
    transaction: operation.transaction,
    triggers: operation.triggers.flatMap(planTrigger),
    steps,
    // A transaction has one connection, and its statements run one after the other; traces tell them so.
    overlap: planOverlap(operation.transaction || names.debug ? [] : steps, hasUploads),
    settled: flow.settled,
    responses: [...conditional, ...standard].map((response) => ({
      ...response,
      mapped: bodies.get(response),
    })),
  };
}

function planTrigger({ name, cron, timezone }: Trigger): TriggerPlan[] {
  return cron === undefined
    ? []
    : [{ trigger: name.value, cron: cron.value.trim(), timezone: timezone?.value }];
}

class StepPlanner {
  constructor(
    private readonly names: ServiceNames,
    private readonly operation: Operation,
    private readonly usage: Usage,
  ) {}

  /** `loop` is the innermost around them. */
  steps(fulfillments: readonly Fulfillment[], loop?: LoopFulfillment): StepPlan[] {
    return fulfillments.map((fulfillment) => this.#step(fulfillment, loop));
  }

  #step(fulfillment: Fulfillment, around: LoopFulfillment | undefined): StepPlan {
    const base = this.#base(fulfillment);
    switch (fulfillment.type) {
      case 'READ':
      case 'UPDATE':
        return { ...base, kind: 'data', ...this.#data(fulfillment, around) };
      case 'LOOP': {
        const { loop, concurrency } = fulfillment;
        if (loop === undefined) throw new Error('A LOOP without an expression passed the checks.');
        const isElementRead = this.usage.isElementRead(fulfillment);
        const steps = this.steps(fulfillment.fulfillments, fulfillment);
        return { ...base, kind: 'loop', loop, concurrency, isElementRead, steps };
      }
      case 'REFERENCE': {
        const called = this.names.operations.get(fulfillment.operationName.value);
        if (called === undefined) throw new Error('A reference to no operation passed the checks.');
        const named = fulfillment.parameters.map(({ name, value }) => ({ name: name.value, value }));
        const body = named.find(({ name }) => name === 'body')?.value;
        return {
          ...base,
          kind: 'reference',
          called,
          parameters: named.filter(({ name }) => name !== 'body'),
          body,
        };
      }
    }
  }

  #base(fulfillment: Fulfillment): StepBase {
    const name = fulfillment.name.value;
    return {
      fulfillment: name,
      condition: fulfillment.if,
      exceptions: fulfillment.exceptions,
      loopbreak: fulfillment.loopbreak,
      index: this.usage.isReadByIndex(name) ? fulfillment.index : undefined,
      isReadHere: this.usage.isReadHere(fulfillment),
      isReadLater: this.usage.isReadElsewhere(fulfillment),
    };
  }

  #data(
    fulfillment: DataFulfillment,
    loop: LoopFulfillment | undefined,
  ): Pick<DataStep, 'result' | 'choices'> {
    const { name, type: use, datasource: named } = fulfillment;
    const datasource = this.names.datasources.get(named.value);
    if (datasource === undefined) throw new Error('A fulfillment without datasource passed the checks.');
    const withStatus = this.usage.isStatusRead(fulfillment);
    let result: DataStep['result'] = 'rows';
    const choices: ChoicePlan[] = [];
    for (const { if: condition, action } of fulfillment.instructions) {
      if (action === undefined) throw new Error('An instruction without an action passed the checks.');
      const common = { use, datasource: datasource.identifier, fulfillment: name.value };
      if ('kind' in action) {
        const request = planRequest(action, datasource.hasUrl, { ...common, withStatus });
        choices.push({ condition, action: request });
        result = withStatus ? 'answer' : 'body';
      } else {
        const isResultRead = this.usage.isReadHere(fulfillment) || this.usage.isReadElsewhere(fulfillment);
        const schemasOf = (value: Expression): ApiSchema[] =>
          this.names.declared.of(value, this.operation, loop);
        const kindOf = (value: Expression): ValueKind | undefined =>
          isCounted(value, loop) ? 'int' : kindOfValue(value, schemasOf(value));
        const sql = lowerSql(action, { kindOf, isResultRead });
        const forms = boundForms(sql, schemasOf, kindOf);
        const sources = sql.bindings.map((value) => sourceOf(value, this.operation, loop));
        choices.push({ condition, action: { kind: 'statement', ...common, sql, sources, forms } });
      }
      if (condition === undefined) break;
    }
    return { result, choices };
  }
}

/** An element of LIST: a whole number, whatever the request holds. */
function isCounted(value: Expression, loop: LoopFulfillment | undefined): boolean {
  if (loop?.loop?.kind !== 'list') return false;
  if (value.kind === 'element') return value.path.length === 0;
  return value.kind === 'value' && value.name === loop.name.value && value.path.length === 0;
}
