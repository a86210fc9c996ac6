/** Follows the results of RANDOM, HASH and TOKEN through functions, computed values, called operations and user code. */
import type { Exception, Operation, Response, Schema } from '../../../read/config/config-model.js';
import { allFulfillments, storedType } from '../../../read/config/walk.js';
import type { Expression, Path, Template } from '../../../read/expression/ast.js';
import { parts } from '../../../read/expression/visit.js';

/** Whether an expression, in that operation, is one of the values that are searched. */
export type IsMade = (expression: Expression, operation: Operation) => boolean;

/** Functions whose results are secret. */
const isSecret: IsMade = ({ kind }) => kind === 'random' || kind === 'hash' || kind === 'token';

/** Functions that return an argument or a part of it. Digests, lengths and comparisons are not secret. */
const passingKinds: ReadonlySet<Expression['kind']> = new Set<Expression['kind']>([
  ...(['concat', 'coalesce', 'lower', 'code'] as const),
]);

/** The secrets that operations make, or other values that are followed in the same way. Where values go on through a database or a third party is unknown. */
export class MadeSecrets {
  readonly #responses = new Map<Operation, boolean>();

  /**
   * @param operationOf Finds a called operation by its name.
   * @param isMade The values that are searched.
   * @param isPassed Whether a caller passes a secret to the operation as this parameter, or as its `body`.
   */
  constructor(
    private readonly operationOf: (name: string) => Operation | undefined,
    private readonly isMade: IsMade = isSecret,
    private readonly isPassed: (parameter: string, operation: Operation) => boolean = () => false,
  ) {}

  /** Whether the value of the expression, in that operation, may contain a secret. */
  isIn(expression: Expression, operation: Operation): boolean {
    if (this.isMade(expression, operation)) return true;
    if (passingKinds.has(expression.kind))
      return parts(expression).some((part) => this.isIn(part, operation));
    switch (expression.kind) {
      case 'value':
      case 'value-by-index':
        return this.#isInResult(expression.name, expression.path, operation);
      case 'result':
        return this.#isInResult(expression.name, [], operation);
      case 'param':
        return this.isPassed(expression.name, operation);
      case 'body':
        return this.isPassed('body', operation);
      case 'element':
        return allFulfillments(operation.fulfillments).some(
          ({ fulfillment }) =>
            fulfillment.type === 'LOOP' &&
            fulfillment.loop !== undefined &&
            this.isIn(fulfillment.loop, operation),
        );
      default:
        return false;
    }
  }

  /** Whether the body or a header has one. */
  isInResponse(response: Response, operation: Operation): boolean {
    const { schema, header, fileName, etag } = response;
    const values = [storedType(response), fileName, etag === true ? undefined : etag];
    const isMapped = schema === undefined && operation.mappings.length > 0;
    const mapped = isMapped ? operation.mappings.flatMap(({ fields }) => fields) : [];
    return (
      this.isInSchema(schema, operation) ||
      header.some(({ value }) => this.#isInTemplate(value, operation)) ||
      [...values, ...mapped.map(({ value }) => value)].some(
        (value) => value !== undefined && this.isIn(value, operation),
      )
    );
  }

  /** Whether the body, the message or a header has one. */
  isInException({ message, header, schema }: Exception, operation: Operation): boolean {
    return (
      this.#isInTemplate(message, operation) ||
      header.some(({ value }) => this.#isInTemplate(value, operation)) ||
      this.isInSchema(schema, operation)
    );
  }

  isInSchema(schema: Schema | undefined, operation: Operation): boolean {
    switch (schema?.kind) {
      case 'leaf':
        return this.isIn(schema.value, operation);
      case 'object':
        return schema.fields.some(({ value }) => this.isInSchema(value, operation));
      case 'array':
        return this.isIn(schema.list, operation) || this.isInSchema(schema.item, operation);
      case undefined:
        return false;
    }
  }

  #isInTemplate(template: Template, operation: Operation): boolean {
    return template.some((part) => typeof part !== 'string' && this.isIn(part, operation));
  }

  #isInResult(name: string, path: Path, operation: Operation): boolean {
    return allFulfillments(operation.fulfillments).some(({ fulfillment }) => {
      if (fulfillment.name.value !== name) return false;
      switch (fulfillment.type) {
        case 'COMPUTE':
          return this.isInSchema(partOf(fulfillment.schema, path), operation);
        case 'CODE':
          return this.isInSchema(fulfillment.input, operation);
        case 'REFERENCE': {
          const called = this.operationOf(fulfillment.operationName.value);
          const isPassed = fulfillment.parameters.some(({ value }) => this.isInSchema(value, operation));
          return isPassed || (called !== undefined && this.#isInResponses(called));
        }
        case 'LOOP':
          return fulfillment.loop !== undefined && this.isIn(fulfillment.loop, operation);
        case 'READ':
        case 'UPDATE':
        case 'DEFERRED':
          return false;
      }
    });
  }

  #isInResponses(operation: Operation): boolean {
    const known = this.#responses.get(operation);
    if (known !== undefined) return known;
    // An operation that calls itself adds nothing to its own responses.
    this.#responses.set(operation, false);
    const found = operation.responses.some((response) => this.isInResponse(response, operation));
    this.#responses.set(operation, found);
    return found;
  }
}

/** The part of a computed value that a path reads; the whole where the path leaves the objects of the schema. */
function partOf(schema: Schema | undefined, [step, ...rest]: Path): Schema | undefined {
  if (schema?.kind !== 'object' || step?.kind !== 'name') return schema;
  const field = schema.fields.find(({ key }) => key === step.name);
  return partOf(field?.value, rest);
}
