/** The reads that are sent before their turn: only if this is unobservable. */
import type { Expression } from '../../../read/expression/ast.js';
import { contains, nodesIn } from '../../../read/expression/visit.js';
import type { DataStep, LoopAhead, LoopStep, OverlapPlan, ReadStep, StepPlan } from '../operation-plan.js';

/** `receivesFiles`: the request can have files, and PARAM of a file ends the call. */
export function planOverlap(steps: readonly StepPlan[], receivesFiles: boolean): OverlapPlan {
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
    const reads = loop.steps
      .map(plainReadOf)
      .filter((read) => read !== undefined)
      // A list is not the same statement in each iteration.
      .filter(({ statement }) => statement.list === undefined);
    // Without a result that is read there is nothing that the loop could go through.
    const isResultRead = reads.some(({ step }) => step.isReadHere || step.isReadLater);
    const isWhole = isResultRead && reads.length === loop.steps.length && loop.concurrency === 1;
    // The author of a loopbreak wants to avoid what follows it.
    const hasBreak = [loop, ...loop.steps].some((step) => step.loopbreak.length > 0);
    const first = reads[0];
    const areAlike = reads.every((read) => read.statement.datasource === first?.statement.datasource);
    const own = new Set(loop.steps.map(({ fulfillment }) => fulfillment));
    const isLate = reads.slice(1).some((read) => this.#mayThrow(read));
    if (!isWhole || hasBreak || !areAlike || isLate || reads.some((read) => needs(read, own))) {
      this.look(loop.steps);
      return;
    }
    const isElement = (expression: Expression) => isElementOf(loop, expression);
    this.loops.set(loop, {
      reads,
      isElementSent: reads.some(({ statement }) => statement.sql.bindings.some(isElement)),
      isElementRead: reads.some(({ step }) => expressionsBehind(step).some(isElement)),
    });
  }
}

/** The step if it is a READ of one statement that always runs, and that may run twice or for nothing. */
export function plainReadOf(step: StepPlan): ReadStep | undefined {
  if (step.kind !== 'data' || step.condition !== undefined || step.choices.length !== 1) return undefined;
  const [choice] = step.choices;
  if (choice === undefined || choice.condition !== undefined || choice.action.kind !== 'statement')
    return undefined;
  const statement = choice.action;
  const isSideEffectFree = statement.use === 'READ' && statement.sql.retry;
  return isSideEffectFree ? { step, statement } : undefined;
}

/** Whether a value of the statement is taken from one of these fulfillments. */
function needs({ statement }: ReadStep, fulfillments: ReadonlySet<string>): boolean {
  return statement.sql.bindings.some((binding) => isTakenFrom(binding, fulfillments));
}

function isTakenFrom(expression: Expression, fulfillments: ReadonlySet<string>): boolean {
  return nodesIn(expression).some(
    (node) => 'name' in node && node.kind !== 'param' && fulfillments.has(node.name),
  );
}

function isElementOf({ fulfillment }: LoopStep, expression: Expression): boolean {
  return nodesIn(expression).some(
    (node) => node.kind === 'element' || (node.kind === 'value' && node.name === fulfillment),
  );
}

/** Expressions that are evaluated after the result of the read. */
function expressionsBehind({ exceptions, index }: DataStep): Expression[] {
  const parts = exceptions.flatMap(({ condition, message }) => [condition, ...message]);
  return [index, ...parts].filter((part) => part !== undefined && typeof part !== 'string');
}
