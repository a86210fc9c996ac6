/** The columns of a result that responses send: only these may be filtered, because a filter reveals the values that it compares. */
import type { Fulfillment, Schema } from '../../read/config/config-model.js';
import type { Expression, Path } from '../../read/expression/ast.js';
import type { ApiSchema } from '../../read/openapi/api-model.js';
import type { Body } from '../mapping/body-parts.js';
import { describedType } from '../types/described-type.js';
import type { Analysis } from './analysis.js';
import type { AnalyzedOperation } from './analyzed-operation.js';

/** The columns of a result that the responses of one endpoint contain. */
export interface SentResult {
  /** The operation with the responses: the one of the result, or one that calls it. */
  readonly by: AnalyzedOperation;
  /** The names of the columns; `all` if a response sends whole rows. */
  readonly columns: ReadonlySet<string> | 'all';
}

/** The columns sent by each endpoint that runs the fulfillment; if no endpoint calls the operation, those in its responses. */
export function sentColumns(
  analysis: Analysis,
  analyzed: AnalyzedOperation,
  fulfillment: Fulfillment,
): readonly SentResult[] {
  const endpoints = analysis.operations.filter(
    ({ operation }) =>
      operation.endpoint !== undefined && analysis.withCalled(operation).has(analyzed.operation),
  );
  return (endpoints.length === 0 ? [analyzed] : endpoints).map((by) => {
    const sent = new SentColumns(fulfillment, analysis);
    sent.addResponses(by, []);
    return { by, columns: sent.isWhole ? 'all' : sent.columns };
  });
}

/** The operation and the list in which an expression is evaluated. */
interface Scope {
  readonly analyzed: AnalyzedOperation;
  /** The list whose elements are `@`; undefined outside of lists. */
  readonly list?: Expression;
  /** The scope of the list. */
  readonly around?: Scope;
}

/** The names of a path. Positions in lists do not matter: every element has the same fields. */
type Names = readonly string[];

function namesOf(path: Path): Names {
  return path.flatMap((step) => (step.kind === 'name' ? [step.name] : []));
}

/** Whether results of the schema can contain an argument of their function. */
function canShow(returns: ApiSchema | undefined): boolean {
  if (returns === undefined) return true;
  const { kinds, isExactNumber = false } = describedType(returns);
  return kinds.has('array') || kinds.has('object') || (kinds.has('string') && !isExactNumber);
}

class SentColumns {
  readonly columns = new Set<string>();
  isWhole = false;
  /** Parts of results that have been followed. */
  readonly #followed = new Set<string>();

  constructor(
    private readonly target: Fulfillment,
    private readonly analysis: Analysis,
  ) {}

  /** `names` is the part of the body that is sent. */
  addResponses(analyzed: AnalyzedOperation, names: Names): void {
    const scope = { analyzed };
    for (const response of analyzed.operation.responses) {
      const body = analyzed.mapped.bodies.get(response);
      if (body !== undefined) this.#addBody(body, names, scope);
      else if (response.schema !== undefined) this.#addSchema(response.schema, names, scope);
      if (names.length > 0) continue;
      for (const { value } of response.header)
        for (const part of value) if (typeof part !== 'string') this.#addValue(part, [], scope);
    }
  }

  #addSchema(schema: Schema, names: Names, scope: Scope): void {
    switch (schema.kind) {
      case 'leaf':
        this.#addValue(schema.value, names, scope);
        break;
      case 'object': {
        const [name, ...rest] = names;
        for (const { key, value } of schema.fields)
          if (name === undefined || key === name) this.#addSchema(value, rest, scope);
        break;
      }
      case 'array':
        this.#addSchema(schema.item, names, { ...scope, list: schema.list, around: scope });
        break;
    }
  }

  #addBody(body: Body, names: Names, scope: Scope): void {
    switch (body.kind) {
      case 'object': {
        const [name, ...rest] = names;
        for (const { key, value } of body.fields)
          if (name === undefined || key === name) this.#addBody(value, rest, scope);
        break;
      }
      case 'entries':
      case 'row':
      case 'single':
        this.#addBody(body.item, names, scope);
        break;
      case 'column':
      case 'value':
        this.#addValue(body.value, names, scope);
        break;
    }
  }

  /**
   * A string that is joined from values shows them; a length or a digest does not. A function of user code may show its arguments, unless
   * its results are numbers, true or false.
   */
  #addValue(value: Expression, names: Names, scope: Scope): void {
    switch (value.kind) {
      case 'value':
      case 'value-by-index':
        this.#addResult(value.name, [...namesOf(value.path), ...names], scope);
        break;
      case 'result':
        this.#addResult(value.name, names, scope);
        break;
      case 'element':
        if (scope.list !== undefined && scope.around !== undefined)
          this.#addValue(scope.list, [...namesOf(value.path), ...names], scope.around);
        break;
      case 'coalesce':
      case 'concat':
        for (const part of value.parts) this.#addValue(part, names, scope);
        break;
      case 'code':
        if (canShow(this.analysis.functionReturns(value.function)))
          for (const argument of value.input) this.#addValue(argument, [], scope);
        break;
      default:
        break;
    }
  }

  /** A part of the result of a fulfillment. Results of COMPUTE, CODE, LOOP and REFERENCE are made of other results. */
  #addResult(name: string, names: Names, { analyzed }: Scope): void {
    const key = JSON.stringify([analyzed.operation.name.value, name, names]);
    if (this.#followed.has(key)) return;
    this.#followed.add(key);
    const found = analyzed.fulfillments.find(({ fulfillment }) => fulfillment.name.value === name);
    switch (found?.fulfillment.type) {
      case 'COMPUTE':
        if (found.fulfillment.schema !== undefined)
          this.#addSchema(found.fulfillment.schema, names, { analyzed });
        break;
      case 'CODE':
        if (found.fulfillment.input !== undefined) this.#addSchema(found.fulfillment.input, [], { analyzed });
        break;
      case 'LOOP':
        if (found.fulfillment.loop !== undefined) this.#addValue(found.fulfillment.loop, names, { analyzed });
        break;
      case 'REFERENCE': {
        const called = found.fulfillment.operationName.value;
        const other = this.analysis.operations.find(({ operation }) => operation.name.value === called);
        if (other !== undefined) this.addResponses(other, names);
        break;
      }
      default:
        if (found?.fulfillment !== this.target) break;
        if (names[0] === undefined) this.isWhole = true;
        else this.columns.add(names[0]);
    }
  }
}
