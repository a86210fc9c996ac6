/** Which results of an operation are read, and where: what nobody reads needs no variable. */
import type { Exception, Fulfillment, Operation } from '../config/model.js';
import { allFulfillments, walkOperation, type Scope } from '../config/walk.js';
import type { Expression } from '../expression/ast.js';
import { visit } from '../expression/visit.js';
import { reachesOf, type Body } from '../mapping/body.js';

export class Usage {
  /** How many expressions read the result of each fulfillment. */
  readonly #reads = new Map<string, number>();
  readonly #byIndex = new Set<string>();
  readonly #statuses = new Set<string>();
  readonly #elements = new Set<string>();

  /** `bodies`: those that are built from mappings; what no body uses of the mappings reads nothing. */
  constructor(whole: Operation, bodies: readonly Body[] = []) {
    const operation = { ...whole, mappings: [], fulfillments: whole.fulfillments.map(withoutUnreached) };
    for (const { fulfillment, steps } of bodies.flatMap(reachesOf)) {
      for (const name of new Set([fulfillment, ...steps.map(({ to }) => to)])) this.#countRead(name);
    }
    walkOperation(operation, (expression) => {
      visit(expression, (node) => {
        if (node.kind === 'value-by-index') this.#byIndex.add(node.name);
        if (node.kind === 'status') this.#statuses.add(node.name);
      });
    });
    const unused = unusedIndexes(operation, this.#byIndex);
    walkOperation(operation, (expression, scope) => {
      if (!unused.has(expression)) this.#count(expression, scope);
    });
  }

  #count(expression: Expression, scope: Scope): void {
    for (const name of namesIn(expression)) this.#countRead(name);
    const innermost = scope.inItem === true ? undefined : [...scope.loops].at(-1);
    visit(expression, (node) => {
      if (node.kind === 'value' && scope.loops.has(node.name)) this.#elements.add(node.name);
      if (node.kind === 'element' && innermost !== undefined) this.#elements.add(innermost);
    });
  }

  #countRead(name: string): void {
    this.#reads.set(name, (this.#reads.get(name) ?? 0) + 1);
  }

  isReadByIndex(name: string): boolean {
    return this.#byIndex.has(name);
  }

  /** Whether STATUS of that fulfillment is read. */
  isStatusRead(name: string): boolean {
    return this.#statuses.has(name);
  }

  /** Whether the element of that loop is read inside it, by name or as `@`. */
  isElementRead(loop: string): boolean {
    return this.#elements.has(loop);
  }

  /** Whether its own exceptions, breaks or index read its result. */
  isReadHere(fulfillment: Fulfillment): boolean {
    return this.#storedUnder(fulfillment) !== undefined || this.#ownReads(fulfillment) > 0;
  }

  /** Whether an expression of another fulfillment or of a response reads its result. */
  isReadElsewhere(fulfillment: Fulfillment): boolean {
    return (this.#reads.get(fulfillment.name.value) ?? 0) > this.#ownReads(fulfillment);
  }

  /** The index under which its result is stored; undefined when nothing reads it. */
  #storedUnder(fulfillment: Fulfillment): Expression | undefined {
    return this.isReadByIndex(fulfillment.name.value) ? fulfillment.index : undefined;
  }

  #ownReads(fulfillment: Fulfillment): number {
    const index = this.#storedUnder(fulfillment);
    const own = [
      ...fulfillment.exceptions.flatMap(expressionsOf),
      ...fulfillment.loopbreak,
      ...(index ? [index] : []),
    ];
    return own.filter((expression) => namesIn(expression).has(fulfillment.name.value)).length;
  }
}

/** Without the instructions behind one that has no condition: no handler holds them. */
function withoutUnreached(fulfillment: Fulfillment): Fulfillment {
  if (fulfillment.type === 'LOOP')
    return { ...fulfillment, fulfillments: fulfillment.fulfillments.map(withoutUnreached) };
  if (fulfillment.type === 'REFERENCE') return fulfillment;
  const { instructions } = fulfillment;
  const last = instructions.findIndex((instruction) => instruction.if === undefined);
  return last === -1 ? fulfillment : { ...fulfillment, instructions: instructions.slice(0, last + 1) };
}

/** The indexes under which nobody looks: they are not evaluated. */
function unusedIndexes(operation: Operation, read: ReadonlySet<string>): Set<Expression> {
  return new Set(
    allFulfillments(operation.fulfillments).flatMap(({ fulfillment: { index, name } }) =>
      index === undefined || read.has(name.value) ? [] : [index],
    ),
  );
}

function expressionsOf(exception: Exception): Expression[] {
  const placeholders = exception.message.filter((part): part is Expression => typeof part !== 'string');
  return exception.if === undefined ? placeholders : [exception.if, ...placeholders];
}

function namesIn(expression: Expression): Set<string> {
  const names = new Set<string>();
  visit(expression, (node) => {
    if (node.kind === 'value' || node.kind === 'result' || node.kind === 'status') names.add(node.name);
  });
  return names;
}
