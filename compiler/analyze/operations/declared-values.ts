/** Declarations of the API description for the values that an operation reads: parameters, the body, and the elements of loops over them. */
import type { LoopFulfillment, Operation, Schema } from '../../read/config/config-model.js';
import { allFulfillments, loopAround, loopNamed, referencesOf } from '../../read/config/walk.js';
import type { Expression, Path } from '../../read/expression/ast.js';
import { declaredSchemas } from '../../read/openapi/declared.js';
import type { ApiEndpoint, ApiSchema } from '../../read/openapi/api-model.js';
import { branchesOf, elementsOf, schemasAt } from '../../read/openapi/schema-part.js';

export class DeclaredValues {
  /** The operations whose parameters are being looked up: calls may form a cycle. */
  readonly #asked = new Set<Operation>();
  /** The operations that call one, by its name. */
  readonly #callers = new Map<string, Set<Operation>>();

  constructor(
    operations: readonly Operation[],
    private readonly endpointOf: (operation: Operation) => ApiEndpoint | undefined,
  ) {
    for (const caller of operations) {
      for (const { operationName } of referencesOf(caller)) {
        const known = this.#callers.get(operationName.value);
        if (known === undefined) this.#callers.set(operationName.value, new Set([caller]));
        else known.add(caller);
      }
    }
  }

  /** The schemas that the expression's value may have; none where nothing is declared. `loop` is the innermost around it. */
  of(expression: Expression, operation: Operation, loop: LoopFulfillment | undefined): ApiSchema[] {
    switch (expression.kind) {
      case 'param':
        return schemasAt(this.#param(expression.name, operation), expression.path);
      case 'body':
        return schemasAt(this.#body(operation), expression.path);
      case 'value':
        return this.#element(loopNamed(expression.name, operation, loop), operation, expression.path);
      case 'element':
        return this.#element(loop, operation, expression.path);
      case 'coalesce':
        return this.#ofEach(expression.parts, operation, loop);
      default:
        return [];
    }
  }

  /** Of values of which one is passed; none where another one may be of another type. */
  #ofEach(
    parts: readonly Expression[],
    operation: Operation,
    loop: LoopFulfillment | undefined,
  ): ApiSchema[] {
    const all = parts.map((part) => this.of(part, operation, loop));
    const areKnown = all.every((schemas, index) => schemas.length > 0 || isNeutral(parts[index]));
    return areKnown ? all.flat() : [];
  }

  #element(loop: LoopFulfillment | undefined, operation: Operation, path: Path): ApiSchema[] {
    if (loop?.loop === undefined) return [];
    const list = this.of(loop.loop, operation, loopAround(loop, operation));
    return schemasAt(list.flatMap(branchesOf).flatMap(elementsOf), path);
  }

  #param(name: string, operation: Operation): ApiSchema[] {
    const endpoint = this.endpointOf(operation);
    const own = endpoint === undefined ? [] : declaredSchemas(endpoint, name);
    return [
      ...own,
      ...this.#schemasOf(name, operation),
      ...this.#ofCallers(operation, (caller) => this.#param(name, caller)),
    ];
  }

  #body(operation: Operation): ApiSchema[] {
    const own = this.endpointOf(operation)?.body?.json;
    const schemas = this.#schemasOf('body', operation);
    return [
      ...(own === undefined ? [] : [own]),
      ...schemas,
      ...this.#ofCallers(operation, (caller) => this.#body(caller)),
    ];
  }

  /** Schemas of the values that reference calls pass under that name. */
  #schemasOf(name: string, operation: Operation): ApiSchema[] {
    return this.#ofCallers(operation, (caller) =>
      allFulfillments(caller.fulfillments).flatMap(({ fulfillment, loop }) => {
        if (fulfillment.type !== 'REFERENCE' || fulfillment.operationName.value !== operation.name.value)
          return [];
        const value = fulfillment.parameters.find((parameter) => parameter.name.value === name)?.value;
        const leaf = value && leafOf(value);
        return leaf === undefined ? [] : this.of(leaf, caller, loop);
      }),
    );
  }

  #ofCallers(operation: Operation, find: (caller: Operation) => ApiSchema[]): ApiSchema[] {
    if (this.#asked.has(operation)) return [];
    this.#asked.add(operation);
    const found = [...(this.#callers.get(operation.name.value) ?? [])].flatMap(find);
    this.#asked.delete(operation);
    return found;
  }
}

/** Whether it fits beside a value of any type that is declared. */
function isNeutral(part: Expression | undefined): boolean {
  return part !== undefined && ['number', 'boolean', 'null', 'now'].includes(part.kind);
}

function leafOf(schema: Schema): Expression | undefined {
  return schema.kind === 'leaf' ? schema.value : undefined;
}
