/** Reads that are sent before their turn: started together with those next to them, or ahead of their loop. */
import type { LoopStep, ReadStep, StepPlan } from '../plan/operation-plan.js';
import { emitArguments, emitValues } from './bindings.js';
import { lineComment } from '../../notation/typescript-writer.js';
import type { HandlerContext } from './context.js';
import type { Elements } from './expression.js';

/** The code before the first of several reads that are sent together; empty before other steps. */
export function emitTogether(step: StepPlan, context: HandlerContext): string[] {
  const reads = context.overlap.together.get(step);
  if (reads === undefined) return [];
  const declarations = reads.map((read) => {
    const started = emitStart(read, context);
    return `const ${context.takeStarted(read.step)} = ${started};`;
  });
  return [[lineComment('sent together, awaited in order'), ...declarations].join('\n')];
}

/** The head of a loop whose reads are sent ahead; undefined for every other loop. */
export function emitAhead(loop: LoopStep, elements: Elements, context: HandlerContext): string | undefined {
  const ahead = context.overlap.loops.get(loop);
  if (ahead === undefined) return undefined;
  const { reads, isElementSent, isElementRead } = ahead;
  const variable = context.variable(loop);
  const parameter = isElementSent ? variable : '';
  const element = isElementRead ? variable : '';
  const [first, ...others] = reads;
  if (first !== undefined && others.length === 0) {
    const values = context.withElement(loop, elements, () => emitValues(first.statement, context));
    const name = context.actions.get(first.statement) ?? '';
    context.takeRows(first.step);
    const passed = context.variable(first.step);
    const rows = first.step.isFirstRow ? `[${passed}]` : passed;
    const readEach = context.module.runtime('readEach');
    return `await (const [${element}, ${rows}] of ${readEach}(${name}, call, ${elements.text}, (${parameter}) => ${values}))`;
  }
  const started = context.withElement(loop, elements, () => reads.map((read) => emitStart(read, context)));
  const names = reads.map(({ step }) => context.takeStarted(step));
  const startEach = context.module.runtime('startEach');
  return `(const [${[element, ...names].join(', ')}] of ${startEach}(call, ${elements.text}, (${parameter}) => [${started.join(', ')}]))`;
}

function emitStart({ statement }: ReadStep, context: HandlerContext): string {
  const start = context.module.runtime(statement.list === undefined ? 'startRead' : 'startList');
  return `${start}(${context.actions.get(statement) ?? ''}, ${emitArguments(statement, context)})`;
}
