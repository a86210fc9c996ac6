/** Reads that are sent before it is their turn: together with those next to them, or ahead of the loop that they stand in. */
import type { LoopStep, StepPlan } from '../plan/operation.js';
import type { ReadStep } from '../plan/overlap.js';
import { emitValues } from './bindings.js';
import { lineComment } from './comment.js';
import type { HandlerContext } from './context.js';
import type { Binding } from './expression.js';

/** What stands before the first one of several reads that are sent together; nothing before other steps. */
export function emitTogether(step: StepPlan, context: HandlerContext): string[] {
  const reads = context.overlap.together.get(step);
  if (reads === undefined) return [];
  const readings = reads.map((read) => emitReading(read, context));
  const turns = context.takeTurns(reads.map((read) => read.step));
  const comment = lineComment('sent together, answered one after the other');
  const call = `${context.module.runtime('readTogether')}(call, [${readings.join(', ')}])`;
  return [`${comment}\nconst [${turns.join(', ')}] = ${call};`];
}

/** The head of a loop whose reads are sent before it comes to them; undefined for every other loop. */
export function emitAhead(
  loop: LoopStep,
  elements: string,
  type: Binding['type'],
  context: HandlerContext,
): string | undefined {
  const ahead = context.overlap.loops.get(loop);
  if (ahead === undefined) return undefined;
  const { reads, isElementSent, isElementRead } = ahead;
  const readings = context.withElement(loop, type, () => reads.map((read) => emitReading(read, context)));
  const turns = context.takeTurns(reads.map(({ step }) => step));
  const variable = context.variable(loop);
  const parameter = isElementSent ? variable : '';
  const call = `${context.module.runtime('readAhead')}(call, ${elements}, (${parameter}) => [${readings.join(', ')}])`;
  return `[${[isElementRead ? variable : '', ...turns].join(', ')}] of ${call}`;
}

function emitReading({ statement }: ReadStep, context: HandlerContext): string {
  return `[${context.actions.get(statement) ?? ''}, () => ${emitValues(statement, context)}]`;
}
