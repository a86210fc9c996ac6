/**
 * Fulfillments as handler statements: a condition becomes `if`, a LOOP `for … of`, a loopbreak `break`, and a reference a function call.
 */
import {
  apart,
  array,
  arrow,
  assign,
  attempt,
  block,
  call,
  comment,
  constant,
  field,
  fieldOf,
  flatWhen,
  forOf,
  generic,
  leave,
  listType,
  literal,
  member,
  method,
  missing,
  name,
  nothing,
  object,
  parameter,
  returns,
  run,
  tallArray,
  throws,
  typeOf,
  union,
  variable,
  wait,
  when,
  type Block,
  type Code,
  type If,
  type Name,
  type Statement,
  type Type,
} from '../code/code.js';
import type { Expression, PageFact } from '../plan/model.js';
import type {
  ChoicePlan,
  CodeStep,
  ComputeStep,
  DataStep,
  ErrorPlan,
  ExceptionPlan,
  JsonRowsPlan,
  LoopStep,
  ReferenceStep,
  StatementPlan,
  StepPlan,
} from '../plan/operation-plan.js';
import { emitAhead, emitTogether } from './prefetch.js';
import { argument } from './module/emitted-expression.js';
import type { HandlerContext } from './context.js';
import { emitExpression, emitTemplate, theCall } from './expression.js';
import { emitHeaderLines } from './response.js';
import { emitErrorBody } from './error-body.js';
import { emitElements } from './expression.js';
import { emitMail } from './message-call.js';
import { emitCodeCall, emitDeferred, emitReference } from './reference-call.js';
import { emitMessage } from './request-call.js';
import { emitSchema } from './schema.js';
import { bindsElement, emitArguments } from './bindings.js';

/** The enclosing loops of a step. */
export interface StepContext {
  /** Variables holding the position in each loop whose iterations run concurrently. */
  readonly positions: readonly Name[];
}

/** The steps in order, separated by blank lines. */
export function emitSteps(
  steps: readonly StepPlan[],
  context: HandlerContext,
  around: StepContext,
): Statement[] {
  const grouped = new Set<StepPlan>();
  return apart(
    steps.flatMap((step) => {
      // A trace has one request after the other, and so has a test.
      const group = context.debug ? undefined : context.overlap.requests.get(step);
      if (group !== undefined) {
        for (const one of group) grouped.add(one);
        return [emitRequests(group, context, around)];
      }
      if (grouped.has(step)) return [];
      return [emitTogether(step, context), emitStep(step, context, around)];
    }),
  );
}

/** `const [weather, news] = await together(call, [(signal) => getWeather(call, …, signal), …]);` */
function emitRequests(group: readonly DataStep[], context: HandlerContext, around: StepContext): Statement[] {
  const names = group.map(({ fulfillment }) => fulfillment);
  const listed = `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
  const signal = context.names.shared('signal', 'OfRequests');
  const requests = group.map((step) => {
    // Facts established by an exception hold only in its function.
    const body = context.inBranches(() => context.withSignal(signal, () => emitSent(step, context, around)));
    return arrow([parameter(signal)], body);
  });
  for (const step of group) context.bind(step, { type: kindOf(step), nullable: mayBeSkipped(step) });
  const read = group.map((step) => (step.isReadLater ? context.variable(step) : undefined));
  const received = read.slice(0, read.findLastIndex((one) => one !== undefined) + 1);
  const sent = wait(call(context.module.runtime('together'), theCall, tallArray(requests)));
  return [
    comment(`fulfillments ${listed}: sent at the same time`),
    received.length === 0 ? run(sent) : constant(array(received), sent),
  ];
}

/** One of several requests that are sent at the same time: the request alone, or with what belongs to its fulfillment. */
function emitSent(step: DataStep, context: HandlerContext, around: StepContext): Code | Statement[] {
  const [choice, ...others] = step.choices;
  const isPlain = step.condition === undefined && choice?.condition === undefined && others.length === 0;
  if (choice !== undefined && isPlain && step.exceptions.length === 0 && step.index === undefined)
    return emitCall(choice.action, context);
  const statements = emitStep(step, context, around);
  return step.isReadLater ? [...statements, returns(context.variable(step))] : statements;
}

/** Whether nothing may be sent: then its result is null. */
function mayBeSkipped({ condition, choices }: DataStep): boolean {
  return condition !== undefined || choices.at(-1)?.condition !== undefined;
}

function emitStep(step: StepPlan, context: HandlerContext, around: StepContext): Statement[] {
  const heading = `fulfillment ${step.fulfillment}${suffix(step, context)}`;
  const { condition } = step;
  if (condition === undefined)
    return [comment(heading), ...emitRun(step, context, around, isRead(step) ? 'outside' : 'nowhere')];
  const test = context.decision('if', step.fulfillment, condition, context.points?.ofStep('if', step));
  const isReadInside = step.isReadHere && !step.isReadLater;
  const target = isReadInside ? 'outside' : step.isReadLater ? 'declared' : 'nowhere';
  const inside = context.behind(condition, true, () => emitRun(step, context, around, target));
  const declaration =
    step.isReadLater && step.kind !== 'loop'
      ? [...declareResult(step, context), ...declareNext(step, context)]
      : [];
  if (step.kind !== 'loop') context.bind(step, { type: kindOf(step), nullable: true });
  const why = comment(`${heading}, if: ${context.print(condition)}`);
  return [why, ...declaration, when(test, inside)];
}

/** The part of a step's comment after its name. */
function suffix(step: StepPlan, context: HandlerContext): string {
  if (step.kind === 'loop') return `: loop over ${context.print(step.loop)}`;
  if (step.kind === 'reference') return `: reference to ${step.called.name}`;
  if (step.kind === 'deferred') return `: reference to ${step.called.name}, after the commit`;
  if (step.kind === 'code') return `: own code, src/code/${step.function}.ts`;
  if (step.kind === 'compute') return '';
  const isDelivered = step.choices.some(({ action }) => action.kind !== 'statement' && action.isDelivered);
  return isDelivered ? ': sent after the commit' : '';
}

function isRead(step: StepPlan): boolean {
  return step.isReadLater || step.isReadHere;
}

function kindOf(step: StepPlan): 'rows' | 'first' | 'json' {
  if (step.kind !== 'data' || step.result !== 'rows') return 'json';
  return step.isFirstRow ? 'first' : 'rows';
}

/** The type of the variable that holds the step's result. */
function variableType(step: StepPlan, context: HandlerContext): Type {
  const { module } = context;
  if (step.kind === 'data' && step.result === 'rows') {
    const declared = context.rowType(step);
    const row = declared === undefined ? module.runtime('Row') : name(declared.name);
    return step.isFirstRow ? union(row, name('undefined')) : listType(row);
  }
  if (step.kind === 'data' && step.result === 'outcome') return module.runtime('MailOutcome');
  if (step.kind === 'data' && step.result === 'response')
    return module.runtime(step.continues ? 'RestOutcome' : 'RestResponse');
  const body = context.computedType(step) ?? context.bodyType(step) ?? module.runtime('Json');
  return step.kind === 'reference' && step.continues ? generic(module.runtime('CallOutcome'), body) : body;
}

/** Declares the variable of a step that may be skipped. */
function declare(step: StepPlan, context: HandlerContext): Statement {
  const [result, type] = [context.variable(step), variableType(step, context)];
  if (kindOf(step) === 'first') return variable(result, type);
  if (step.kind === 'data' && step.result === 'outcome')
    return variable(result, type, object([field('failure', nothing)]));
  if ('continues' in step && step.continues)
    return variable(result, type, context.module.runtime(step.kind === 'data' ? 'noResponse' : 'notCalled'));
  if (step.kind === 'data' && step.result === 'response') {
    const none = context.module.runtime('noResponse');
    return variable(result, union(type, typeOf(none)), none);
  }
  const isJson = type.kind === 'name' && type.name === 'Json';
  return variable(result, isJson ? type : union(type, name('null')), nothing);
}

function declareResult(step: StepPlan, context: HandlerContext): Statement[] {
  return isOnlyNextRead(step) ? [] : [declare(step, context)];
}

/** Whether only facts about the page are read, and not its rows. */
function isOnlyNextRead(step: StepPlan): boolean {
  if (step.kind !== 'data' || step.page === undefined || step.page.areRowsRead) return false;
  return step.page.isNextRead || step.page.facts.length > 0;
}

/** Declares the variable of the next-page token, for lists that may not be read. */
function declareNext(step: StepPlan, context: HandlerContext, always = false): Statement[] {
  const next = context.nextOf(step);
  const initial = always ? undefined : nothing;
  const facts = [...context.pagingOf(step)].map(([fact, of]) =>
    variable(of, union(factType(fact, context), name('null')), initial),
  );
  if (next === undefined) return facts;
  return [variable(next, union(name('string'), name('null')), initial), ...facts];
}

function factType(fact: PageFact, { module }: HandlerContext): Type {
  if (fact === 'link') return module.runtime('PageLinks');
  return name(fact === 'previous' ? 'string' : 'number');
}

/** The place of the result: a new variable, an already declared variable, or nowhere. */
type Target = 'outside' | 'declared' | 'nowhere';

function emitRun(step: StepPlan, context: HandlerContext, around: StepContext, target: Target): Statement[] {
  const reached = context.counted(context.points?.ofStep('fulfillment', step));
  switch (step.kind) {
    case 'data':
      return [...reached, ...runData(step, context, target), ...emitEnd(step, context, around)];
    case 'deferred':
      return [...reached, run(wait(emitDeferred(step, context))), ...emitEnd(step, context, around)];
    case 'reference':
    case 'code':
      return [...reached, ...runCall(step, context, target), ...emitEnd(step, context, around)];
    case 'compute':
      return [...reached, ...runCompute(step, context, target), ...emitEnd(step, context, around)];
    case 'loop':
      return [
        ...reached,
        ...emitLoop(step, context, around),
        ...step.exceptions.flatMap((exception, index) => emitException(step, exception, index, context)),
      ];
  }
}

function runData(step: DataStep, context: HandlerContext, target: Target): Statement[] {
  if (context.hasRowsFromLoop(step)) {
    context.bind(step, { type: kindOf(step), nullable: false });
    return [];
  }
  const always = step.choices.at(-1)?.condition === undefined;
  const isSingle = always && step.choices.length === 1;
  const result = context.variable(step);
  const isFactRead = step.page !== undefined && (step.page.isNextRead || step.page.facts.length > 0);
  const isPage = step.page !== undefined && (isFactRead || !isPassedOn(step, context));
  const rows = fieldOf('rows', isOnlyNextRead(step) ? undefined : result);
  const facts = [...context.pagingOf(step)].map(([fact, of]) => field(fact, of));
  const page = object([...rows, ...fieldOf('next', context.nextOf(step)), ...facts]);
  const received = isPage ? page : step.isFirstRow ? array([result]) : result;
  const hasViolations = step.exceptions.some(({ constraint }) => constraint !== undefined);
  const isConstant = target === 'outside' && isSingle && !hasViolations;
  const declaration =
    target === 'outside' && !isConstant
      ? [
          ...(always && rows.length > 0
            ? [variable(result, variableType(step, context))]
            : declareResult(step, context)),
          ...declareNext(step, context, always),
        ]
      : [];
  const before: Expression[] = [];
  const branches = context.inBranches((isOver) =>
    step.choices.map(({ condition, action }, index): Choice => {
      const inside = (): Statement[] => {
        // A single instruction runs whenever the step is reached, so it needs no point.
        const point = isSingle ? undefined : context.points?.ofStep('instruction', step, index);
        const code = emitAction(step, action, context);
        return [...context.counted(point), receive(target, received, isConstant, code)];
      };
      if (condition === undefined) return { body: inside() };
      const why = comment(`if: ${context.print(condition)}`);
      const test = context.decision(
        'instruction',
        step.fulfillment,
        condition,
        context.points?.ofStep('instruction-if', step, index),
        behindOthers(condition, before, context),
      );
      before.push(condition);
      const body = context.behind(condition, true, inside);
      isOver(condition);
      return { test, body: [why, ...body] };
    }),
  );
  context.bind(step, { type: kindOf(step), nullable: !always });
  return [...declaration, ...emitViolations(step, inTurn(branches), context)];
}

/** The statements of a step, with the exceptions of constraints that they may violate. */
function emitViolations(
  step: DataStep,
  statements: readonly Statement[],
  context: HandlerContext,
): readonly Statement[] {
  if (!step.exceptions.some(({ constraint }) => constraint !== undefined)) return statements;
  const caught = context.names.shared('failure', 'OfStatement');
  const checks = step.exceptions.flatMap((exception, index) => {
    if (exception.constraint === undefined) return [];
    const test = call(context.module.runtime('violates'), caught, literal(exception.constraint));
    const failure = emitFailure(exception, step.fulfillment, context);
    const reached = context.counted(context.points?.ofStep('exception', step, index));
    const thrown = reached.length === 0 ? flatWhen(test, throws(failure), 'if short') : undefined;
    return [
      comment(`exception: constraint ${exception.constraint}`),
      thrown ?? when(test, [...reached, throws(failure)]),
    ];
  });
  return [attempt(statements, caught, [...checks, throws(caught)])];
}

/** An instruction and its condition. */
interface Choice {
  readonly test?: Code;
  readonly body: readonly Statement[];
}

/** `if … else if … else …`, or a single instruction without `if`. */
function inTurn([first, ...others]: readonly Choice[]): readonly Statement[] {
  if (first === undefined) return [];
  return first.test === undefined ? first.body : [when(first.test, first.body, otherwise(others))];
}

function otherwise([next, ...others]: readonly Choice[]): If | Block | undefined {
  if (next === undefined) return undefined;
  return next.test === undefined ? block(next.body) : when(next.test, next.body, otherwise(others));
}

/** The statement that stores the result in its target. */
function receive(target: Target, received: Code, isConstant: boolean, code: Code): Statement {
  if (target === 'nowhere') return run(code);
  return isConstant ? constant(received, code) : run(assign(received, code));
}

/** The rest of a condition if other conditions are known to be false: `b` for `a || b` after `a`. */
function behindOthers(
  condition: Expression,
  before: readonly Expression[],
  context: HandlerContext,
): Expression {
  if (condition.kind !== 'logical' || condition.operator !== '||') return condition;
  const isOver = (part: Expression): boolean =>
    before.some((other) => context.print(other) === context.print(part));
  if (isOver(condition.left)) return behindOthers(condition.right, before, context);
  if (isOver(condition.right)) return behindOthers(condition.left, before, context);
  return condition;
}

/** Whether the rows are only read by a response that streams them or contains them as JSON. */
function isPassedOn(step: DataStep, { operation }: HandlerContext): boolean {
  return operation.streamed === step || operation.jsonRows.has(step);
}

/** The action of a step. Streamed rows are only read when the response is sent. */
function emitAction(step: DataStep, action: ChoicePlan['action'], context: HandlerContext): Code {
  if (action.kind !== 'statement') return wait(emitCall(action, context));
  const json = context.operation.jsonRows.get(step);
  if (json !== undefined) return wait(emitJsonRows(action, json, step, context));
  if (context.operation.streamed !== step) return wait(context.started(step) ?? emitCall(action, context));
  const stream = context.module.runtime(action.list === undefined ? 'streamRows' : 'streamList');
  return call(stream, context.constantOf(action), ...emitArguments(action, context));
}

/**
 * `jsonRows(selectBooks, call, [author], { id: 'id', label: 'title' })`; for a list, its parameters precede the fields. Fields whose numbers
 * are strings follow: `{ id: 0, price: 2 }`.
 */
function emitJsonRows(
  statement: StatementPlan,
  { fields, scales }: JsonRowsPlan,
  { page }: DataStep,
  context: HandlerContext,
): Code {
  const ofList = page?.isNextRead === true ? 'jsonPage' : 'jsonList';
  const jsonRows = context.module.runtime(statement.list === undefined ? 'jsonRows' : ofList);
  const passed = [context.constantOf(statement), ...emitArguments(statement, context)];
  if (fields === undefined && scales.length === 0) return call(jsonRows, ...passed);
  const hasValues = statement.list !== undefined || statement.sql.bindings.length > 0;
  const pairs = fields && object(fields.map(([key, column]) => field(key, literal(column))));
  const digits = object(scales.map(([key, scale]) => field(key, literal(scale))));
  return call(
    jsonRows,
    ...passed,
    ...(hasValues ? [] : [array([])]),
    pairs ?? missing,
    ...(scales.length === 0 ? [] : [digits]),
  );
}

function emitCall(action: ChoicePlan['action'], context: HandlerContext): Code {
  if (action.kind === 'message')
    return call(context.constantOf(action), theCall, emitMail(action, context.scope));
  const passed =
    action.kind === 'request'
      ? [
          theCall,
          emitMessage(action, context.scope),
          ...(context.signal === undefined ? [] : [context.signal]),
        ]
      : emitArguments(action, context);
  return call(context.constantOf(action), ...passed);
}

function runCall(step: ReferenceStep | CodeStep, context: HandlerContext, target: Target): Statement[] {
  const code = wait(step.kind === 'code' ? emitCodeCall(step, context) : emitReference(step, context));
  const statement = receive(target, context.variable(step), target === 'outside', code);
  context.bind(step, { type: 'json', nullable: false });
  return [statement];
}

/** `const created = { token: randomText(32) };`; no code if the value is never read. */
function runCompute(step: ComputeStep, context: HandlerContext, target: Target): Statement[] {
  if (target === 'nowhere') return [];
  const { code, value } = emitSchema(step.schema, context.scope, `fulfillment ${step.fulfillment}`);
  context.compute(step, value);
  context.bind(step, { type: 'json', nullable: false });
  const traced = context.debug
    ? wait(context.traced('compute', step.fulfillment, arrow([], code, { isAsync: true })))
    : code;
  return [receive(target, context.variable(step), target === 'outside', traced)];
}

/** Code after a step: its exceptions, index and loopbreaks. */
function emitEnd(
  step: Exclude<StepPlan, LoopStep>,
  context: HandlerContext,
  { positions }: StepContext,
): Statement[] {
  const exceptions = step.exceptions.flatMap((exception, index) =>
    emitException(step, exception, index, context),
  );
  const store = step.index === undefined ? [] : emitStore(step, step.index, context, positions);
  return [...exceptions, ...store, ...emitBreaks(step, context).flat()];
}

/** Stores the result under the current iteration's index. */
function emitStore(
  step: Exclude<StepPlan, LoopStep>,
  index: Expression,
  context: HandlerContext,
  positions: readonly Name[],
): Statement[] {
  const stores = step.stored.map((part) => {
    const [results, value] =
      part === 'result'
        ? [context.indexes.get(step.fulfillment)?.code, context.result(step)]
        : [context.outcomes[part].get(step.fulfillment), member(context.variable(step), part)];
    const values = [argument(emitExpression(index, context.scope)), value, ...positions];
    return run(method(results ?? nothing, 'set', ...values));
  });
  return [comment(`index: ${context.print(index)}`), ...stores];
}

function emitBreaks(step: StepPlan, context: HandlerContext): Statement[][] {
  return step.loopbreak.map((condition, index) => {
    const why = comment(`loopbreak: ${context.print(condition)}`);
    const test = context.decision(
      'loopbreak',
      step.fulfillment,
      condition,
      context.points?.ofStep('loopbreak-if', step, index),
    );
    context.assume(condition, false);
    return [why, flatWhen(test, leave)];
  });
}

function emitException(
  step: StepPlan,
  exception: ExceptionPlan,
  index: number,
  context: HandlerContext,
): Statement[] {
  const point = context.points?.ofStep('exception-if', step, index);
  return emitThrow(exception, step.fulfillment, point, context);
}

/** An exception of the operation itself, checked before the first step. */
export function emitInputException(
  exception: ExceptionPlan,
  index: number,
  context: HandlerContext,
): Statement[] {
  return emitThrow(exception, 'request', context.points?.ofOperation('exception-if', index), context);
}

/** `of` names the exception's owner on the test page. */
function emitThrow(
  exception: ExceptionPlan,
  of: string,
  point: number | undefined,
  context: HandlerContext,
): Statement[] {
  const { condition } = exception;
  // Violated constraints are caught where the statement is sent.
  if (condition === undefined) return [];
  const test = context.decision('exception', of, condition, point);
  const failure = context.behind(condition, true, () => emitFailure(exception, of, context));
  context.assume(condition, false);
  return [comment(`exception: ${context.print(condition)}`), flatWhen(test, throws(failure), 'if short')];
}

/** `fail(404, 'Not found')` */
function emitFailure(exception: ErrorPlan, of: string, context: HandlerContext): Code {
  const { statuscode, message } = exception;
  return call(
    context.module.runtime('fail'),
    literal(statuscode),
    emitTemplate(message, context.scope),
    ...emitFailureOptions(exception, of, context),
  );
}

/** The optional header, code and body of an exception. */
function emitFailureOptions(
  { header, code, schema, isSecret }: ErrorPlan,
  of: string,
  context: HandlerContext,
): Code[] {
  const fields = [
    ...fieldOf('header', header.length === 0 ? undefined : emitHeaderLines(header, context.scope)),
    ...fieldOf('code', code === undefined ? undefined : literal(code)),
    ...fieldOf('body', schema && emitErrorBody(schema, context.scope, `exception of ${of}`)),
    ...fieldOf('secret', isSecret ? literal(true) : undefined),
  ];
  return fields.length === 0 ? [] : [object(fields)];
}

function emitLoop(step: LoopStep, context: HandlerContext, around: StepContext): Statement[] {
  const elements = emitElements(
    step.loop,
    context.scope,
    step.fulfillment,
    bindsElement(step.steps, step.fulfillment),
  );
  const element = context.variable(step);
  const ahead = emitAhead(step, elements, context);
  const isConcurrent = step.concurrency > 1;
  // With concurrent iterations, the positions in all enclosing loops decide which of two results is the later one.
  const needsPosition = isConcurrent ? indexesIn(step.steps) : hasConcurrentIndexes(step.steps);
  const position = needsPosition ? context.names.take(`${element.name}Position`) : undefined;
  const inner = { positions: position === undefined ? around.positions : [...around.positions, position] };
  const parts = context.inside(step, elements, () => [
    emitSteps(step.steps, context, inner),
    ...emitBreaks(step, context),
  ]);
  const body = apart([context.reads.declarationsOf(element), ...parts]);
  const traced = (kind: 'loop' | 'iterations', code: Code): Code =>
    context.debug ? context.traced(kind, step.fulfillment, code) : code;
  if (!isConcurrent) {
    if (ahead !== undefined) return [forOf(ahead.element, ahead.list, body, ahead.isAwaited)];
    const each = position === undefined ? element : array([position, element]);
    const list = traced('loop', position === undefined ? elements.code : method(elements.code, 'entries'));
    if (alwaysWaits(step)) return [forOf(each, list, body)];
    // If iterations do not wait for a statement, the loop must explicitly let other requests run.
    return [forOf(each, call(context.module.runtime('inTurns'), theCall, list), body, true)];
  }
  const parameters = [element, ...(position === undefined ? [] : [position])].map((one) => parameter(one));
  const iteration = traced('iterations', arrow(parameters, body, { isAsync: true }));
  const concurrently = context.module.runtime('concurrently');
  return [run(wait(call(concurrently, theCall, literal(step.concurrency), elements.code, iteration)))];
}

/** Whether every iteration waits for a database or an API, which lets other requests run. */
function alwaysWaits({ steps }: LoopStep): boolean {
  return steps.some(
    (step) =>
      step.kind === 'data' &&
      step.condition === undefined &&
      step.choices.at(-1)?.condition === undefined &&
      !step.choices.some(({ action }) => action.kind !== 'statement' && action.isDelivered),
  );
}

/** Whether a nested loop runs iterations concurrently and stores results under an index. */
function hasConcurrentIndexes(steps: readonly StepPlan[]): boolean {
  return steps.some(
    (step) =>
      step.kind === 'loop' &&
      (step.concurrency > 1 ? indexesIn(step.steps) : hasConcurrentIndexes(step.steps)),
  );
}

function indexesIn(steps: readonly StepPlan[]): boolean {
  return steps.some((step) => step.index !== undefined || (step.kind === 'loop' && indexesIn(step.steps)));
}
