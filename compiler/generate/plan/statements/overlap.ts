/** Reads that are sent ahead of their turn, where this is unobservable. */
import type { Expression } from '../../../read/expression/ast.js';
import { contains, nodesIn } from '../../../read/expression/visit.js';
import type { Schema } from '../../../read/config/config-model.js';
import { leavesOf } from '../../../read/config/walk.js';
import type { DataStep, LoopAhead, LoopStep, OverlapPlan, ReadStep, StepPlan } from '../operation-plan.js';

/** `receivesFiles`: the request can have files, and PARAM of a file ends the call. */
export function planOverlap(
  steps: readonly StepPlan[],
  receivesFiles: boolean,
): Pick<OverlapPlan, 'together' | 'loops'> {
  const together = new Map<StepPlan, readonly ReadStep[]>();
  const loops = new Map<LoopStep, LoopAhead>();
  new Overlaps(together, loops, receivesFiles).look(steps);
  return { together, loops };
}

/** Whether the step reads more of a page than its rows and the next-page token, which may need a second statement. */
function isCounted(step: StepPlan): boolean {
  return step.kind === 'data' && step.page !== undefined && step.page.facts.length > 0;
}

class Overlaps {
  constructor(
    private readonly together: Map<StepPlan, readonly ReadStep[]>,
    private readonly loops: Map<LoopStep, LoopAhead>,
    private readonly receivesFiles: boolean,
  ) {}

  look(steps: readonly StepPlan[]): void {
    let row: ReadStep[] = [];
    for (const step of steps) {
      const read = isCounted(step) ? undefined : plainReadOf(step);
      if (read === undefined || !this.#canJoin(read, row)) {
        this.#end(row);
        row = [];
      }
      if (read !== undefined) row.push(read);
      if (step.kind === 'loop') this.#loop(step);
    }
    this.#end(row);
  }

  #canJoin(read: ReadStep, row: readonly ReadStep[]): boolean {
    const [first] = row;
    if (first === undefined) return true;
    if (first.statement.datasource !== read.statement.datasource || this.#mayThrow(read)) return false;
    return !needs(read, new Set(row.map(({ step }) => step.fulfillment)));
  }

  /** Whether evaluating the statement's values may end the call, which must not happen ahead of its turn. */
  #mayThrow({ statement: { sql, forms, list } }: ReadStep): boolean {
    if (list !== undefined && list.asked.length > 0) return true;
    return sql.bindings.some(
      (binding, index) =>
        sql.rowCounts.has(index) ||
        forms.get(index) === 'jsonText' ||
        contains(binding, 'list') ||
        contains(binding, 'multipart-file', 'code') ||
        (this.receivesFiles && contains(binding, 'param')),
    );
  }

  #end(row: readonly ReadStep[]): void {
    const [first] = row;
    if (first !== undefined && row.length > 1) this.together.set(first.step, row);
  }

  #loop(loop: LoopStep): void {
    const reads = loop.steps.map(readOf).filter((read) => read !== undefined);
    const ahead = reads.length === loop.steps.length ? this.#ahead(loop, reads) : undefined;
    if (ahead === undefined) this.look(loop.steps);
    else this.loops.set(loop, ahead);
  }

  #ahead(loop: LoopStep, reads: readonly ReadStep[]): LoopAhead | undefined {
    const [first, ...others] = reads;
    // If the results are not read, the loop has no results to iterate over.
    const isResultRead = reads.some(({ step }) => step.isReadHere || step.isReadLater);
    // A loopbreak is meant to prevent further steps, so they are not sent ahead.
    const hasBreak = [loop, ...loop.steps].some((step) => step.loopbreak.length > 0);
    // A function that throws, or returns something else the second time, must not run ahead of its turn.
    const hasFunction = reads.some((read) => valuesAndCondition(read).some(callsFunction));
    // A list statement differs between iterations.
    const hasList = reads.some(({ statement }) => statement.list !== undefined);
    const areAlike = others.every(({ statement }) => statement.datasource === first?.statement.datasource);
    if (first === undefined || !isResultRead || !areAlike || loop.concurrency > 1) return undefined;
    if (hasBreak || hasList || hasFunction) return undefined;
    const own = new Set(loop.steps.map(({ fulfillment }) => fulfillment));
    const isElement = (expression: Expression) => isElementOf(loop, expression);
    const areApart = reads.every((read) => !needs(read, own) && read.step.condition === undefined);
    const isChain = !areApart || others.some((read) => this.#mayThrow(read));
    if (isChain && !canBeChain(reads)) return undefined;
    return {
      reads,
      isChain,
      isElementSent: reads.some((read) => valuesAndCondition(read).some(isElement)),
      isElementRead: reads.some(({ step }) => areExpressionsOfElement(step, loop)),
    };
  }
}

/** Max number of reads in a loop that depend on each other's rows (runtime/sql/chains.ts). */
export const longestChain = 4;

/** Whether each read depends only on rows of earlier unconditional reads in the loop. */
function canBeChain(reads: readonly ReadStep[]): boolean {
  const inside = new Set(reads.map(({ step }) => step.fulfillment));
  // Reads with the same name cannot be distinguished.
  if (reads.length > longestChain || inside.size < reads.length) return false;
  const known = new Set<string>();
  // An iteration that skips all reads would not wait for anything.
  let isAwaited = false;
  for (const read of reads) {
    const needed = valuesAndCondition(read);
    const unknown = new Set([...inside].filter((name) => !known.has(name)));
    if (needed.some((one) => isTakenFrom(one, unknown) || readsIndex(one, inside))) return false;
    const { condition } = read.step;
    // The condition is evaluated twice: ahead, and in its turn.
    if (condition !== undefined && contains(condition, 'now', 'uuid')) return false;
    if (condition === undefined) known.add(read.step.fulfillment);
    isAwaited ||= condition === undefined;
  }
  return isAwaited;
}

/** Whether the expression reads results stored by iterations. */
export function readsIndex(expression: Expression, fulfillments: ReadonlySet<string>): boolean {
  return nodesIn(expression).some(
    (node) => 'nameSpan' in node && 'index' in node && fulfillments.has(node.name),
  );
}

/** The step, if it is a READ of a single statement that may run twice or unnecessarily. */
function readOf(step: StepPlan): ReadStep | undefined {
  if (step.kind !== 'data' || step.choices.length !== 1) return undefined;
  const [choice] = step.choices;
  if (choice === undefined || choice.condition !== undefined || choice.action.kind !== 'statement')
    return undefined;
  const statement = choice.action;
  const isSideEffectFree = statement.use === 'READ' && statement.sql.retry;
  return isSideEffectFree ? { step, statement } : undefined;
}

/** The step, if it is such a READ and unconditional. */
export function plainReadOf(step: StepPlan): ReadStep | undefined {
  return step.condition === undefined ? readOf(step) : undefined;
}

/** Whether a value of the statement comes from one of these fulfillments. */
export function needs({ statement }: ReadStep, fulfillments: ReadonlySet<string>): boolean {
  return statement.sql.bindings.some((binding) => isTakenFrom(binding, fulfillments));
}

/** The expressions that determine whether the read runs, and with which values. */
export function valuesAndCondition({ step, statement }: ReadStep): readonly Expression[] {
  return [...(step.condition === undefined ? [] : [step.condition]), ...statement.sql.bindings];
}

export function isTakenFrom(expression: Expression, fulfillments: ReadonlySet<string>): boolean {
  return nodesIn(expression).some(
    (node) => 'name' in node && node.kind !== 'param' && fulfillments.has(node.name),
  );
}

/** Whether the expression calls a user function. */
export function callsFunction(expression: Expression): boolean {
  return contains(expression, 'code');
}

export function isElementOf({ fulfillment }: LoopStep, expression: Expression): boolean {
  return nodesIn(expression).some(
    (node) => node.kind === 'element' || (node.kind === 'value' && node.name === fulfillment),
  );
}

/** Whether an expression of the step that is evaluated in the loop itself reads the loop's element. */
export function areExpressionsOfElement({ condition, exceptions, index }: DataStep, loop: LoopStep): boolean {
  const parts = exceptions.flatMap(({ condition: when, message, header }) => [
    when,
    ...message,
    ...header.flatMap((one) => one.parts.map((part) => (typeof part === 'string' ? part : part.value))),
  ]);
  return (
    [condition, index, ...parts].some(
      (part) => part !== undefined && typeof part !== 'string' && isElementOf(loop, part),
    ) || exceptions.some(({ schema }) => schema !== undefined && isElementIn(loop, schema))
  );
}

/** Whether the schema reads the loop's element. Inside a list of the schema, `@` refers to that list's element. */
function isElementIn(loop: LoopStep, schema: Schema): boolean {
  switch (schema.kind) {
    case 'leaf':
      return isElementOf(loop, schema.value);
    case 'object':
      return schema.fields.some(({ value }) => isElementIn(loop, value));
    case 'array':
      return (
        isElementOf(loop, schema.list) ||
        leavesOf(schema.item).some((value) => isTakenFrom(value, new Set([loop.fulfillment])))
      );
  }
}
