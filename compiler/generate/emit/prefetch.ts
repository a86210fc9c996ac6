/** Reads started early: together with adjacent reads, or ahead of their loop. */
import type { Expression } from '../plan/model.js';
import type { LoopAhead, LoopSent, LoopStep, ReadStep, StepPlan } from '../plan/operation-plan.js';
import {
  array,
  arrow,
  call,
  choose,
  comment,
  constant,
  missing,
  name,
  parameter,
  type Code,
  type Name,
  type Statement,
} from '../code/code.js';
import { isElementOf, isTakenFrom, valuesAndCondition } from '../plan/statements/overlap.js';
import { emitArguments, emitValues } from './bindings.js';
import type { HandlerContext } from './context.js';
import { emitCondition, theCall, type Elements } from './expression.js';

/** Code before the first of several reads that are sent together; empty for other steps. */
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
  /** Pattern of the values that each iteration receives. */
  readonly element: Code;
  readonly list: Code;
  readonly isAwaited: boolean;
}

/** Undefined if the loop's reads are not sent ahead. */
export function emitAhead(loop: LoopStep, elements: Elements, context: HandlerContext): Ahead | undefined {
  // Traces, which also count coverage, require statements to run one after another.
  const sent = context.debug ? undefined : context.overlap.sent.get(loop);
  if (sent !== undefined) return emitSent(loop, sent, elements, context);
  const ahead = context.overlap.loops.get(loop);
  if (ahead === undefined) return undefined;
  if (ahead.isChain) return emitChain(loop, ahead, elements, context);
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

/** The head of a loop in a transaction: its statements, and functions from the element to their values. */
function emitSent(
  loop: LoopStep,
  { statements, isElementRead }: LoopSent,
  elements: Elements,
  context: HandlerContext,
): Ahead {
  const links = context.withElement(loop, elements, () =>
    statements.map((statement) => emitLink(statement, loop, [], context)),
  );
  const element = isElementRead ? context.variable(loop) : undefined;
  const names = statements.map(({ step }) => context.takeStarted(step, 'Run'));
  const list = call(context.module.runtime('sendEach'), theCall, elements.code, ...links);
  return { element: array([element, ...names]), list, isAwaited: false };
}

/** The head of a loop whose reads depend on each other's rows: the reads, and functions from earlier rows to their values. */
function emitChain(
  loop: LoopStep,
  { reads, isElementRead }: LoopAhead,
  elements: Elements,
  context: HandlerContext,
): Ahead {
  const links = context.withElement(loop, elements, () =>
    context.withRows(
      reads.map(({ step }) => step),
      () => reads.map((read, index) => emitLink(read, loop, reads.slice(0, index), context)),
    ),
  );
  const element = isElementRead ? context.variable(loop) : undefined;
  const names = reads.map(({ step }) => context.takeStarted(step));
  const list = call(context.module.runtime('startChain'), theCall, elements.code, ...links);
  return { element: array([element, ...names]), list, isAwaited: false };
}

/** Code such as `[selectAuthor, (comment, [news]) => [news?.author_id]]`. */
function emitLink(
  read: ReadStep,
  loop: LoopStep,
  before: readonly ReadStep[],
  context: HandlerContext,
): Code {
  const needed = valuesAndCondition(read);
  const element = needed.some((one) => isElementOf(loop, one));
  const passed = [
    element ? context.variable(loop) : unread(context.variable(loop)),
    ...before.map(({ step }) => {
      const variable = context.variable(step);
      if (!isRowsOf(step, needed)) return unread(variable);
      return step.isFirstRow ? array([variable]) : variable;
    }),
  ];
  const last = before.findLastIndex(({ step }) => isRowsOf(step, needed));
  const parameters = passed.slice(0, last < 0 ? Number(element) : last + 2).map((one) => parameter(one));
  const { condition } = read.step;
  const values = (): Code => emitValues(read.statement, context);
  const body =
    condition === undefined
      ? values()
      : choose(emitCondition(condition, context.scope), context.behind(condition, true, values), missing);
  return array([context.constantOf(read.statement), arrow(parameters, body)]);
}

function isRowsOf({ fulfillment }: StepPlan, expressions: readonly Expression[]): boolean {
  const names = new Set([fulfillment]);
  return expressions.some((one) => isTakenFrom(one, names));
}

/** An underscore tells TypeScript that a parameter is unused. */
function unread(variable: Name): Name {
  return variable.name.startsWith('_') ? variable : name(`_${variable.name}`);
}

function emitStart({ statement }: ReadStep, context: HandlerContext): Code {
  const start = context.module.runtime(statement.list === undefined ? 'startRead' : 'startList');
  return call(start, context.constantOf(statement), ...emitArguments(statement, context));
}
