/** The plan of one operation: its statements, its steps in order, and which response is chosen when. */
import type {
  DataFulfillment,
  Endpoint,
  Exception,
  Fulfillment,
  Operation,
  Response,
} from '../config/model.js';
import type { Expression, Syntax } from '../expression/ast.js';
import { visit } from '../expression/visit.js';
import type { SqlStatement } from '../sql/statement.js';
import { walkOperation } from '../config/walk.js';

export interface OperationPlan {
  readonly name: string;
  readonly functionName: string;
  /** Without folder and ending. */
  readonly fileName: string;
  readonly syntax: Syntax;
  readonly endpoint: Endpoint | undefined;
  /** True when an expression reads the request body. */
  readonly readsBody: boolean;
  readonly steps: readonly StepPlan[];
  /** Those with a condition in order, then the default. */
  readonly responses: readonly Response[];
}

/** A READ or UPDATE fulfillment. */
export interface StepPlan {
  readonly fulfillment: string;
  readonly condition: Expression | undefined;
  /** Tried from top to bottom; those behind one without a condition are left out. */
  readonly choices: readonly ChoicePlan[];
  readonly exceptions: readonly Exception[];
  /** True when an expression of a later step or a response reads the result. */
  readonly isReadLater: boolean;
  /** True when one of its own exceptions reads the result. */
  readonly isReadByException: boolean;
}

export interface ChoicePlan {
  readonly condition: Expression | undefined;
  readonly statement: StatementPlan;
}

export interface StatementPlan {
  readonly use: 'READ' | 'UPDATE';
  /** The identifier of its datasource. */
  readonly datasource: string;
  readonly fulfillment: string;
  readonly sql: SqlStatement;
}

export function planOperation(
  operation: Operation,
  functionName: string,
  fileName: string,
  datasources: ReadonlyMap<string, string>,
): OperationPlan {
  const conditional = operation.responses.filter(
    (response) => !response.default && response.if !== undefined,
  );
  const standard = operation.responses.filter((response) => response.default);
  return {
    name: operation.name.value,
    functionName,
    fileName,
    syntax: operation.syntax,
    endpoint: operation.endpoint,
    readsBody: readsBody(operation),
    steps: operation.fulfillments.map((fulfillment) => planStep(fulfillment, operation, datasources)),
    responses: [...conditional, ...standard],
  };
}

function planStep(
  fulfillment: Fulfillment,
  operation: Operation,
  datasources: ReadonlyMap<string, string>,
): StepPlan {
  if (fulfillment.type === 'LOOP' || fulfillment.type === 'REFERENCE') {
    throw new Error(
      `A fulfillment of type ${fulfillment.type} passed the checks, and there is no plan for it.`,
    );
  }
  const name = fulfillment.name.value;
  const own = fulfillment.exceptions.flatMap(exceptionExpressions);
  const all = namesRead(operation);
  const byException = own.filter((expression) => namesIn(expression).has(name)).length;
  return {
    fulfillment: name,
    condition: fulfillment.if,
    choices: planChoices(fulfillment, datasources),
    exceptions: fulfillment.exceptions,
    isReadByException: byException > 0,
    isReadLater: (all.get(name) ?? 0) > byException,
  };
}

function planChoices(fulfillment: DataFulfillment, datasources: ReadonlyMap<string, string>): ChoicePlan[] {
  const choices: ChoicePlan[] = [];
  for (const { if: condition, action } of fulfillment.instructions) {
    if (action === undefined || 'kind' in action)
      throw new Error('An instruction without SQL passed the checks.');
    const datasource = datasources.get(fulfillment.datasource.value);
    if (datasource === undefined) throw new Error('A fulfillment without datasource passed the checks.');
    const statement = { use: fulfillment.type, datasource, fulfillment: fulfillment.name.value, sql: action };
    choices.push({ condition, statement });
    if (condition === undefined) break;
  }
  return choices;
}

function exceptionExpressions(exception: Exception): Expression[] {
  const placeholders = exception.message.filter((part): part is Expression => typeof part !== 'string');
  return exception.if === undefined ? placeholders : [exception.if, ...placeholders];
}

function readsBody(operation: Operation): boolean {
  let found = false;
  walkOperation(operation, (expression) => {
    visit(expression, (node) => {
      found ||= node.kind === 'body';
    });
  });
  return found;
}

/** How many expressions of the operation read each fulfillment. */
function namesRead(operation: Operation): Map<string, number> {
  const counts = new Map<string, number>();
  walkOperation(operation, (expression) => {
    for (const name of namesIn(expression)) counts.set(name, (counts.get(name) ?? 0) + 1);
  });
  return counts;
}

function namesIn(expression: Expression): Set<string> {
  const names = new Set<string>();
  visit(expression, (node) => {
    if (node.kind === 'value' || node.kind === 'result') names.add(node.name);
  });
  return names;
}
