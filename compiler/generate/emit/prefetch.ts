/** Reads that are sent before their turn: started together with those next to them, or ahead of their loop. */
import type { LoopStep, ReadStep, StepPlan } from '../plan/operation-plan.js';
import { array, arrow, call, comment, constant, parameter, type Code, type Statement } from '../code/code.js';
import { emitArguments, emitValues } from './bindings.js';
import type { HandlerContext } from './context.js';
import { theCall, type Elements } from './expression.js';

/** The code before the first of several reads that are sent together; empty before other steps. */
export function emitTogether(step: StepPlan, context: HandlerContext): Statement[] {
  const reads = context.overlap.together.get(step);
  if (reads === undefined) return [];
  const declarations = reads.map((read) => {
    const started = emitStart(read, context);
    return constant(context.takeStarted(read.step), started);
  });
  return [comment('sent together, awaited in order'), ...declarations];
}

/** The head of a loop whose reads are sent ahead. */
export interface Ahead {
  /** The pattern of what each iteration gets. */
  readonly element: Code;
  readonly list: Code;
  readonly isAwaited: boolean;
}

/** Undefined for a loop whose reads are not sent ahead. */
export function emitAhead(loop: LoopStep, elements: Elements, context: HandlerContext): Ahead | undefined {
  const ahead = context.overlap.loops.get(loop);
  if (ahead === undefined) return undefined;
  const { reads, isElementSent, isElementRead } = ahead;
  const variable = context.variable(loop);
  const parameters = isElementSent ? [parameter(variable)] : [];
  const element = isElementRead ? variable : undefined;
  const [first, ...others] = reads;
  if (first !== undefined && others.length === 0) {
    const values = context.withElement(loop, elements, () => emitValues(first.statement, context));
    context.takeRows(first.step);
    const passed = context.variable(first.step);
    const rows = first.step.isFirstRow ? array([passed]) : passed;
    const list = call(
      context.module.runtime('readEach'),
      context.constantOf(first.statement),
      theCall,
      elements.code,
      arrow(parameters, values),
    );
    return { element: array([element, rows]), list, isAwaited: true };
  }
  const started = context.withElement(loop, elements, () => reads.map((read) => emitStart(read, context)));
  const names = reads.map(({ step }) => context.takeStarted(step));
  const start = arrow(parameters, array(started));
  const list = call(context.module.runtime('startEach'), theCall, elements.code, start);
  return { element: array([element, ...names]), list, isAwaited: false };
}

function emitStart({ statement }: ReadStep, context: HandlerContext): Code {
  const start = context.module.runtime(statement.list === undefined ? 'startRead' : 'startList');
  return call(start, context.constantOf(statement), ...emitArguments(statement, context));
}
