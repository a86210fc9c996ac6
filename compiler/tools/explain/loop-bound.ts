/** How often a loop runs: a constant number, or a limit. */
import type { LoopFulfillment } from '../../read/config/config-model.js';
import type { Expression } from '../../read/expression/ast.js';
import { rowLimitOf } from '../../read/sql/facts/row-limit.js';
import { allSteps, type ServiceView, type ViewedOperation } from './service-view.js';

export interface LoopBound {
  /** The number of iterations, unless the loop ends early; undefined if not constant. */
  readonly constant: number | undefined;
  /** Description of the limit. Without a number it follows `as many as`: `a body of BODY_LIMIT (1 MiB) holds`. */
  readonly bound: string;
  /** Null if only the size of a request or a response is the limit. */
  readonly atMost: number | null;
}

/** Defaults of the service's LOOP_LIMIT and ROW_LIMIT. */
const loopLimit = 100_000;
const rowLimit = 100_000;

/** `around` is the enclosing loop. */
export function loopBound(
  list: Expression,
  around: LoopFulfillment | undefined,
  operation: ViewedOperation,
  view: ServiceView,
): LoopBound {
  const maximum = (expression: Expression, keyword: 'maximum' | 'maxItems'): number | undefined =>
    declaredMaximum(expression, keyword, around, operation, view);
  switch (list.kind) {
    case 'list': {
      const { count } = list;
      if (count.kind === 'number') return { constant: count.value, bound: 'constant', atMost: count.value };
      const max = maximum(count, 'maximum');
      if (max !== undefined && max < loopLimit)
        return limited(`'maximum' of the API description`, Math.max(0, Math.floor(max)));
      return limited('LOOP_LIMIT of the service', loopLimit);
    }
    case 'body':
    case 'param': {
      const max = maximum(list, 'maxItems');
      if (max !== undefined) return limited(`'maxItems' of the API description`, max);
      if (list.kind === 'body') return unlimited('a body of BODY_LIMIT (1 MiB) holds');
      return unlimited('the request or the call passes');
    }
    case 'value':
    case 'result':
      return ofResult(list.name, list.kind === 'value' ? list.path.length : 0, operation, view);
    case 'element':
      return unlimited('an element of the loop around holds');
    default:
      return unlimited('the value holds');
  }
}

function ofResult(name: string, depth: number, operation: ViewedOperation, view: ServiceView): LoopBound {
  const found = allSteps(operation).find(({ viewed }) => viewed.step.fulfillment === name)?.viewed;
  switch (found?.kind) {
    case 'loop':
      return unlimited(`an element of '${name}' holds`);
    case 'reference':
      return unlimited(`operation '${found.step.called.name}' returns`);
    case 'code':
      return unlimited(`the user code '${found.step.function}' returns`);
    case 'compute':
      return unlimited(`the computed value '${name}' holds`);
    case 'data': {
      if (view.datasourceOf(found.step)?.type !== 'db')
        return unlimited('a response of RESPONSE_LIMIT (10 MiB) holds');
      if (depth > 0) return unlimited(`the rows of '${name}' hold`);
      const limits = found.checked.instructions.map(({ action }) =>
        action.kind === 'statement' ? rowLimitOf(action.statement) : undefined,
      );
      const max = limits.includes(undefined) ? undefined : Math.max(...limits.map((limit) => limit ?? 0));
      return max === undefined || max > rowLimit
        ? limited(`rows of '${name}', ROW_LIMIT of the service`, rowLimit)
        : limited(`rows of '${name}', by its SQL`, max);
    }
    case 'deferred':
    case undefined:
      return unlimited('the value holds');
  }
}

function declaredMaximum(
  expression: Expression,
  keyword: 'maximum' | 'maxItems',
  around: LoopFulfillment | undefined,
  operation: ViewedOperation,
  { analysis }: ServiceView,
): number | undefined {
  const schemas = analysis.declared.of(expression, operation.checked.operation, around);
  const bounds = schemas.map((schema) => schema.bounds.get(keyword));
  const numbers = bounds.filter((bound) => typeof bound === 'number');
  return numbers.length === 0 || numbers.length < bounds.length ? undefined : Math.max(...numbers);
}

function limited(bound: string, atMost: number): LoopBound {
  return { constant: undefined, bound, atMost };
}

function unlimited(bound: string): LoopBound {
  return { constant: undefined, bound, atMost: null };
}
