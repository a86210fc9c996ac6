/** The declarations for values that an operation reads: parameters, the body, the elements of loops over these, results of functions. */
import type { LoopFulfillment, Operation, Schema } from '../../read/config/config-model.js';
import { allFulfillments, deferredIn, loopAround, loopNamed, referencesOf } from '../../read/config/walk.js';
import type { Expression, Path } from '../../read/expression/ast.js';
import { declaredSchemas } from '../../read/openapi/declared.js';
import type { ApiEndpoint, ApiSchema } from '../../read/openapi/api-model.js';
import { branchesOf, elementsOf, schemasAt } from '../../read/openapi/schema-part.js';

/** The schemas of an operation's parameter or body. */
interface Declared {
  readonly find: () => readonly ApiSchema[];
  /** The schemas found so far, without duplicates. */
  schemas: readonly ApiSchema[];
  isOpen: boolean;
}

export class DeclaredValues {
  /** Earlier results, by operation and name. */
  readonly #declared = new Map<Operation, Map<string, Declared>>();
  /** The results needed by the current search. */
  #search: Declared[] | undefined;
  /** Whether the current search depends on itself, because calls can form a cycle. */
  #isCyclic = false;
  /** The callers of each operation, by its name. */
  readonly #callers = new Map<string, Set<Operation>>();

  constructor(
    operations: readonly Operation[],
    private readonly endpointOf: (operation: Operation) => ApiEndpoint | undefined,
    private readonly functionReturns: (name: string) => ApiSchema | undefined,
  ) {
    for (const caller of operations) {
      for (const { operationName } of [...referencesOf(caller), ...deferredIn(caller.fulfillments)]) {
        const known = this.#callers.get(operationName.value);
        if (known === undefined) this.#callers.set(operationName.value, new Set([caller]));
        else known.add(caller);
      }
    }
  }

  /** The possible schemas of the expression's value; empty if undeclared. `loop` is the innermost loop. */
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
      case 'code': {
        const returns = this.functionReturns(expression.function);
        return returns === undefined ? [] : [returns];
      }
      case 'coalesce':
        return this.#ofEach(expression.parts, operation, loop);
      default:
        return [];
    }
  }

  /** The schemas of alternative values; empty if the type of one of them is unknown. */
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

  #param(name: string, operation: Operation): readonly ApiSchema[] {
    return this.#once(operation, `param ${name}`, () => {
      const endpoint = this.endpointOf(operation);
      return [
        ...(endpoint === undefined ? [] : declaredSchemas(endpoint, name)),
        ...this.#schemasOf(name, operation),
        ...this.#ofCallers(operation, (caller) => this.#param(name, caller)),
      ];
    });
  }

  #body(operation: Operation): readonly ApiSchema[] {
    return this.#once(operation, 'body', () => {
      const own = this.endpointOf(operation)?.body?.json;
      return [
        ...(own === undefined ? [] : [own]),
        ...this.#schemasOf('body', operation),
        ...this.#ofCallers(operation, (caller) => this.#body(caller)),
      ];
    });
  }

  /** The result of `find`, cached because otherwise every call in a chain would double the number of searches. */
  #once(operation: Operation, key: string, find: Declared['find']): readonly ApiSchema[] {
    const ofOperation = this.#declared.get(operation) ?? new Map<string, Declared>();
    this.#declared.set(operation, ofOperation);
    const known = ofOperation.get(key);
    if (known !== undefined) {
      this.#isCyclic ||= known.isOpen;
      return known.schemas;
    }
    const declared: Declared = { find, schemas: [], isOpen: true };
    ofOperation.set(key, declared);
    const isFirst = this.#search === undefined;
    this.#search ??= [];
    this.#search.push(declared);
    declared.schemas = [...new Set(find())];
    declared.isOpen = false;
    if (isFirst) this.#end(this.#search);
    return declared.schemas;
  }

  /** Repeats a cyclic search until it finds nothing new. The number of rounds is limited by the length of the cycle. */
  #end(search: readonly Declared[]): void {
    let hasFound = this.#isCyclic;
    for (let round = 0; hasFound && round < search.length; round += 1) {
      hasFound = false;
      for (const declared of search) {
        const schemas = [...new Set(declared.find())];
        hasFound ||= schemas.length > declared.schemas.length;
        declared.schemas = schemas;
      }
    }
    this.#search = undefined;
    this.#isCyclic = false;
  }

  /** The schemas of values that references pass under that name. */
  #schemasOf(name: string, operation: Operation): ApiSchema[] {
    return this.#ofCallers(operation, (caller) =>
      allFulfillments(caller.fulfillments).flatMap(({ fulfillment, loop }) => {
        const isCall = fulfillment.type === 'REFERENCE' || fulfillment.type === 'DEFERRED';
        if (!isCall || fulfillment.operationName.value !== operation.name.value) return [];
        const value = fulfillment.parameters.find((parameter) => parameter.name.value === name)?.value;
        const leaf = value && leafOf(value);
        return leaf === undefined ? [] : this.of(leaf, caller, loop);
      }),
    );
  }

  #ofCallers(operation: Operation, find: (caller: Operation) => readonly ApiSchema[]): ApiSchema[] {
    return [...(this.#callers.get(operation.name.value) ?? [])].flatMap(find);
  }
}

/** Whether the constant is compatible with a declared value of any type. */
function isNeutral(part: Expression | undefined): boolean {
  return part !== undefined && ['number', 'boolean', 'null', 'now'].includes(part.kind);
}

function leafOf(schema: Schema): Expression | undefined {
  return schema.kind === 'leaf' ? schema.value : undefined;
}
