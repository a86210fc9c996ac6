/** The READ whose list only a CSV or NDJSON response reads: its rows are written while they arrive (extensions 12.5). */
import type { Operation, Schema } from '../../read/config/config-model.js';
import { walkOperation } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import { visit } from '../../read/expression/visit.js';
import type { DataStep, StepPlan } from './operation-plan.js';
import { readOf } from './overlap.js';
import { planContent } from './response-plan.js';

/** Undefined if there is none. `isCalled`: another operation reads the response of this one as a whole. */
export function streamedRead(
  operation: Operation,
  steps: readonly StepPlan[],
  isCalled: boolean,
): DataStep | undefined {
  const { endpoint, triggers, responses, transaction } = operation;
  const [response, ...others] = responses;
  if (endpoint === undefined || triggers.length > 0 || transaction || isCalled) return undefined;
  if (response === undefined || others.length > 0 || response.etag !== undefined) return undefined;
  const kind = planContent(response)?.kind;
  const name = response.schema && listOf(response.schema);
  if ((kind !== 'csv' && kind !== 'lines') || name === undefined) return undefined;
  const last = steps.at(-1);
  const step = last && readOf(last)?.step;
  if (step?.fulfillment !== name) return undefined;
  return readsOf(name, operation) > 1 ? undefined : step;
}

/** The fulfillment whose rows are the elements; undefined where an element has a list of its own. */
function listOf(schema: Schema): string | undefined {
  if (schema.kind === 'leaf') return wholeResult(schema.value);
  return schema.kind === 'array' && !hasList(schema.item) ? wholeResult(schema.list) : undefined;
}

function hasList(schema: Schema): boolean {
  return (
    schema.kind === 'array' || (schema.kind === 'object' && schema.fields.some(({ value }) => hasList(value)))
  );
}

/** The fulfillment whose result the expression is. */
export function wholeResult(expression: Expression): string | undefined {
  const isWhole =
    expression.kind === 'result' || (expression.kind === 'value' && expression.path.length === 0);
  return isWhole ? expression.name : undefined;
}

/** How many expressions read the result of the fulfillment. */
export function readsOf(name: string, operation: Operation): number {
  let count = 0;
  walkOperation(operation, (expression) => {
    visit(expression, (node) => {
      if ('name' in node && node.name === name && readsResult.has(node.kind)) count += 1;
    });
  });
  return count;
}

const readsResult: ReadonlySet<Expression['kind']> = new Set([
  ...(['value', 'result', 'value-by-index', 'status', 'failure', 'response-header'] as const),
]);
