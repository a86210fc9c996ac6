/** The reads that are sent before their turn: only if this is unobservable. */
import type { Expression } from '../../../read/expression/ast.js';
import { contains, nodesIn } from '../../../read/expression/visit.js';
import type { Schema } from '../../../read/config/config-model.js';
import { leavesOf } from '../../../read/config/walk.js';
import type { DataStep, LoopAhead, LoopStep, OverlapPlan, ReadStep, StepPlan } from '../operation-plan.js';

/** `receivesFiles`: the request can have files, and PARAM of a file ends the call. */
export function planOverlap(steps: readonly StepPlan[], receivesFiles: boolean): Omit<OverlapPlan, 'sent'> {
  const together = new Map<StepPlan, readonly ReadStep[]>();
  const loops = new Map<LoopStep, LoopAhead>();
  new Overlaps(together, loops, receivesFiles).look(steps);
  return { together, loops };
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
      const read = plainReadOf(step);
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

  /** Whether a value of the statement may end the call: it must not do so before it is its turn. */
  #mayThrow({ statement: { sql, forms, list } }: ReadStep): boolean {
    if (list !== undefined && list.asked.length > 0) return true;
    return sql.bindings.some(
      (binding, index) =>
        sql.rowCounts.has(index) ||
        forms.get(index) === 'jsonText' ||
        contains(binding, 'list') ||
        contains(binding, 'multipart-file') ||
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
    // Without a result that is read there is nothing that the loop could go through.
    const isResultRead = reads.some(({ step }) => step.isReadHere || step.isReadLater);
    // The author of a loopbreak wants to avoid the steps after it.
    const hasBreak = [loop, ...loop.steps].some((step) => step.loopbreak.length > 0);
    // A list is not the same statement in each iteration.
    const hasList = reads.some(({ statement }) => statement.list !== undefined);
    const areAlike = others.every(({ statement }) => statement.datasource === first?.statement.datasource);
    if (first === undefined || !isResultRead || hasBreak || hasList || !areAlike || loop.concurrency > 1)
      return undefined;
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

/** How many reads of a loop may need rows of each other (runtime/sql/chains.ts). */
export const longestChain = 4;

/** Whether each read needs only rows of earlier reads of its loop, which always run. */
function canBeChain(reads: readonly ReadStep[]): boolean {
  const inside = new Set(reads.map(({ step }) => step.fulfillment));
  // Reads with the same name cannot be distinguished.
  if (reads.length > longestChain || inside.size < reads.length) return false;
  const known = new Set<string>();
  // An iteration that skips all of them would not wait for anything.
  let isAwaited = false;
  for (const read of reads) {
    const needed = valuesAndCondition(read);
    const unknown = new Set([...inside].filter((name) => !known.has(name)));
    if (needed.some((one) => isTakenFrom(one, unknown) || readsIndex(one, inside))) return false;
    const { condition } = read.step;
    // It is evaluated ahead and again in its turn.
    if (condition !== undefined && contains(condition, 'now', 'uuid')) return false;
    if (condition === undefined) known.add(read.step.fulfillment);
    isAwaited ||= condition === undefined;
  }
  return isAwaited;
}

/** Whether it reads results stored by iterations. */
export function readsIndex(expression: Expression, fulfillments: ReadonlySet<string>): boolean {
  return nodesIn(expression).some((node) => node.kind === 'value-by-index' && fulfillments.has(node.name));
}

/** The step if it is a READ of one statement that may run twice or for nothing. */
function readOf(step: StepPlan): ReadStep | undefined {
  if (step.kind !== 'data' || step.choices.length !== 1) return undefined;
  const [choice] = step.choices;
  if (choice === undefined || choice.condition !== undefined || choice.action.kind !== 'statement')
    return undefined;
  const statement = choice.action;
  const isSideEffectFree = statement.use === 'READ' && statement.sql.retry;
  return isSideEffectFree ? { step, statement } : undefined;
}

/** The step if it is such a READ, and always runs. */
export function plainReadOf(step: StepPlan): ReadStep | undefined {
  return step.condition === undefined ? readOf(step) : undefined;
}

/** Whether a value of the statement is taken from one of these fulfillments. */
export function needs({ statement }: ReadStep, fulfillments: ReadonlySet<string>): boolean {
  return statement.sql.bindings.some((binding) => isTakenFrom(binding, fulfillments));
}

/** The expressions that determine whether it runs, and with which values. */
export function valuesAndCondition({ step, statement }: ReadStep): readonly Expression[] {
  return [...(step.condition === undefined ? [] : [step.condition]), ...statement.sql.bindings];
}

export function isTakenFrom(expression: Expression, fulfillments: ReadonlySet<string>): boolean {
  return nodesIn(expression).some(
    (node) => 'name' in node && node.kind !== 'param' && fulfillments.has(node.name),
  );
}

export function isElementOf({ fulfillment }: LoopStep, expression: Expression): boolean {
  return nodesIn(expression).some(
    (node) => node.kind === 'element' || (node.kind === 'value' && node.name === fulfillment),
  );
}

/** Whether an expression of the step that is evaluated in the loop itself reads the element. */
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

/** Whether the schema reads the element of the loop. Inside a list of the schema, `@` is the element of that list. */
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
