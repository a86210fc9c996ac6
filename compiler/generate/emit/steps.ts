/** Fulfillments as statements of a handler: an `if` is an `if`, a LOOP a `for … of`, a loopbreak a `break`, a reference a call. */
import type { Expression } from '../plan/model.js';
import type {
  ChoicePlan,
  CodeStep,
  DataStep,
  ExceptionPlan,
  JsonRowsPlan,
  LoopStep,
  ReferenceStep,
  StatementPlan,
  StepPlan,
} from '../plan/operation-plan.js';
import { emitAhead, emitTogether } from './prefetch.js';
import { argument } from './module/emitted-expression.js';
import { commentText, lineComment } from '../../notation/typescript-writer.js';
import type { HandlerContext } from './context.js';
import { emitExpression, emitTemplate } from './expression.js';
import { property, propertyKey, stringLiteral } from '../../notation/typescript-writer.js';
import { emitHeaderLines } from './response.js';
import { emitErrorBody } from './error-body.js';
import { emitElements } from './expression.js';
import { emitCodeCall, emitReference } from './reference-call.js';
import { emitMessage } from './request-call.js';
import { bindsElement, emitArguments } from './bindings.js';

/** Loops around a step. */
export interface StepContext {
  /** The variables that hold the position in each of them, where iterations run at the same time. */
  readonly positions: readonly string[];
}

/** The steps in order, a blank line between each two. */
export function emitSteps(
  steps: readonly StepPlan[],
  context: HandlerContext,
  around: StepContext,
): string[] {
  return steps.flatMap((step) => [...emitTogether(step, context), emitStep(step, context, around)]);
}

function emitStep(step: StepPlan, context: HandlerContext, around: StepContext): string {
  const heading = `fulfillment ${step.fulfillment}${suffix(step, context)}`;
  const { condition } = step;
  if (condition === undefined)
    return [lineComment(heading), ...run(step, context, around, isRead(step) ? 'outside' : 'nowhere')].join(
      '\n',
    );
  const test = context.decision('if', step.fulfillment, condition, context.points?.ofStep('if', step));
  const isReadInside = step.isReadHere && !step.isReadLater;
  const declaration =
    step.isReadLater && step.kind !== 'loop'
      ? [...declareResult(step, context), ...declareNext(step, context)]
      : [];
  const target = isReadInside ? 'outside' : step.isReadLater ? 'declared' : 'nowhere';
  const block = context.behind(condition, true, () => run(step, context, around, target));
  if (step.kind !== 'loop') context.bind(step, { type: typeOf(step), nullable: true });
  const comment = lineComment(`${heading}, if: ${context.print(condition)}`);
  return [comment, ...declaration, `if (${test}) {\n${block.join('\n')}\n}`].join('\n');
}

/** The declaration of a step without its name. */
function suffix(step: StepPlan, context: HandlerContext): string {
  if (step.kind === 'loop') return `: loop over ${context.print(step.loop)}`;
  if (step.kind === 'reference') return `: reference to ${commentText(step.called.name)}`;
  if (step.kind === 'code') return `: own code, src/code/${step.function}.ts`;
  const isDelivered = step.choices.some(({ action }) => action.kind === 'request' && action.isDelivered);
  return isDelivered ? ': sent after the commit' : '';
}

function isRead(step: StepPlan): boolean {
  return step.isReadLater || step.isReadHere;
}

function typeOf(step: StepPlan): 'rows' | 'first' | 'json' {
  if (step.kind !== 'data' || step.result !== 'rows') return 'json';
  return step.isFirstRow ? 'first' : 'rows';
}

/** The type of the variable that holds the result. */
function variableType(step: StepPlan, context: HandlerContext): string {
  const { module } = context;
  if (step.kind === 'data' && step.result === 'rows') {
    const row = context.rowType(step)?.name ?? module.runtime('Row');
    return step.isFirstRow ? `${row} | undefined` : `${row}[]`;
  }
  if (step.kind === 'data' && step.result === 'response')
    return module.runtime(step.continues ? 'RestOutcome' : 'RestResponse');
  const body = context.bodyType(step) ?? module.runtime('Json');
  return step.kind === 'reference' && step.continues ? `${module.runtime('CallOutcome')}<${body}>` : body;
}

/** The variable of a step that may be skipped. */
function declare(step: StepPlan, context: HandlerContext): string {
  const [variable, type] = [context.variable(step), variableType(step, context)];
  if (typeOf(step) === 'first') return `let ${variable}: ${type};`;
  if (type === 'RestResponse') {
    const none = context.module.runtime('noResponse');
    return `let ${variable}: ${type} | typeof ${none} = ${none};`;
  }
  if ('continues' in step && step.continues) {
    const none = context.module.runtime(step.kind === 'data' ? 'noResponse' : 'notCalled');
    return `let ${variable}: ${type} = ${none};`;
  }
  return `let ${variable}: ${type}${type === 'Json' ? '' : ' | null'} = null;`;
}

function declareResult(step: StepPlan, context: HandlerContext): string[] {
  return isOnlyNextRead(step) ? [] : [declare(step, context)];
}

/** Whether nothing of a list is read but the text for its next page. */
function isOnlyNextRead(step: StepPlan): boolean {
  return step.kind === 'data' && step.page?.isNextRead === true && !step.page.areRowsRead;
}

/** The variable of the text for the next page, of a list that may not be read. */
function declareNext(step: StepPlan, context: HandlerContext, always = false): string[] {
  const next = context.nextOf(step);
  return next === undefined ? [] : [`let ${next}: string | null${always ? '' : ' = null'};`];
}

/** Where the result goes: a new variable, one that is declared already, or nowhere. */
type Target = 'outside' | 'declared' | 'nowhere';

function run(step: StepPlan, context: HandlerContext, around: StepContext, target: Target): string[] {
  const reached = context.counted(context.points?.ofStep('fulfillment', step));
  switch (step.kind) {
    case 'data':
      return [...reached, ...runData(step, context, target), ...emitEnd(step, context, around)];
    case 'reference':
      return [...reached, ...runReference(step, context, target), ...emitEnd(step, context, around)];
    case 'code':
      return [...reached, ...runCode(step, context, target), ...emitEnd(step, context, around)];
    case 'loop':
      return [
        ...reached,
        ...emitLoop(step, context, around),
        ...step.exceptions.map((exception, index) => emitException(step, exception, index, context)),
      ];
  }
}

function runData(step: DataStep, context: HandlerContext, target: Target): string[] {
  if (context.hasRowsFromLoop(step)) {
    context.bind(step, { type: typeOf(step), nullable: false });
    return [];
  }
  const always = step.choices.at(-1)?.condition === undefined;
  const isSingle = always && step.choices.length === 1;
  const variable = context.variable(step);
  const next = context.nextOf(step);
  const rows = isOnlyNextRead(step) ? [] : [property('rows', variable)];
  const page = `{ ${[...rows, ...(next === undefined ? [] : [property('next', next)])].join(', ')} }`;
  const isPage = step.page !== undefined && (step.page.isNextRead || !isPassedOn(step, context));
  const passed = isPage ? page : step.isFirstRow ? `[${variable}]` : variable;
  const isConstant = target === 'outside' && isSingle;
  const assignment = target === 'nowhere' ? '' : `${isConstant ? 'const ' : ''}${passed} = `;
  // An assignment to the fields of an object is an expression.
  const [open, close] = isPage && assignment !== '' && !isConstant ? ['(', ')'] : ['', ''];
  const declaration =
    target === 'outside' && !isSingle
      ? [
          ...(always && rows.length > 0
            ? [`let ${variable}: ${variableType(step, context)};`]
            : declareResult(step, context)),
          ...declareNext(step, context, always),
        ]
      : [];
  const before: Expression[] = [];
  const branches = context.inBranches((isOver) =>
    step.choices.map(({ condition, action }, index) => {
      const call = (): string => {
        // The only one runs whenever the step is reached.
        const point = isSingle ? undefined : context.points?.ofStep('instruction', step, index);
        const line = `${open}${assignment}${emitRun(step, action, context)}${close};`;
        return [...context.counted(point), line].join('\n');
      };
      if (condition === undefined) return step.choices.length === 1 ? call() : `{\n${call()}\n}`;
      const comment = lineComment(`if: ${context.print(condition)}`);
      const test = context.decision(
        'instruction',
        step.fulfillment,
        condition,
        context.points?.ofStep('instruction-if', step, index),
        behindOthers(condition, before, context),
      );
      before.push(condition);
      const block = context.behind(condition, true, call);
      isOver(condition);
      return `if (${test}) {\n${comment}\n${block}\n}`;
    }),
  );
  context.bind(step, { type: typeOf(step), nullable: !always });
  return [...declaration, branches.join(' else ')];
}

/** The rest of a condition where others are known to be false: `b` of `a || b` behind `a`. */
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

/** Whether only a response reads the rows, while they arrive. */
function isPassedOn(step: DataStep, { operation }: HandlerContext): boolean {
  return operation.streamed === step || operation.jsonRows.has(step);
}

/** Rows that are written while they arrive are read when the response is sent. */
function emitRun(step: DataStep, action: ChoicePlan['action'], context: HandlerContext): string {
  if (action.kind === 'request') return `await ${emitCall(action, context)}`;
  const json = context.operation.jsonRows.get(step);
  if (json !== undefined) return `await ${emitJsonRows(action, json, step, context)}`;
  if (context.operation.streamed !== step)
    return `await ${context.started(step) ?? emitCall(action, context)}`;
  const stream = context.module.runtime(action.list === undefined ? 'streamRows' : 'streamList');
  return `${stream}(${context.actions.get(action) ?? ''}, ${emitArguments(action, context)})`;
}

/** `jsonRows(selectBooks, call, [author], { id: 'id', label: 'title' })`, of a list with what the call asks for before the fields. */
function emitJsonRows(
  statement: StatementPlan,
  { fields }: JsonRowsPlan,
  { page }: DataStep,
  context: HandlerContext,
): string {
  const ofList = page?.isNextRead === true ? 'jsonPage' : 'jsonList';
  const jsonRows = context.module.runtime(statement.list === undefined ? 'jsonRows' : ofList);
  const passed = emitArguments(statement, context);
  const name = context.actions.get(statement) ?? '';
  if (fields === undefined) return `${jsonRows}(${name}, ${passed})`;
  const hasValues = statement.list !== undefined || statement.sql.bindings.length > 0;
  const values = hasValues ? '' : ', []';
  const pairs = fields.map(([key, column]) => `${propertyKey(key)}: ${stringLiteral(column)}`);
  return `${jsonRows}(${name}, ${passed}${values}, { ${pairs.join(', ')} })`;
}

function emitCall(action: ChoicePlan['action'], context: HandlerContext): string {
  const passed =
    action.kind === 'request'
      ? `call, ${emitMessage(action, context.scope)}`
      : emitArguments(action, context);
  return `${context.actions.get(action) ?? ''}(${passed})`;
}

function runReference(step: ReferenceStep, context: HandlerContext, target: Target): string[] {
  const assignment =
    target === 'nowhere' ? '' : `${target === 'outside' ? 'const ' : ''}${context.variable(step)} = `;
  const line = `${assignment}await ${emitReference(step, context)};`;
  context.bind(step, { type: 'json', nullable: false });
  return [line];
}

function runCode(step: CodeStep, context: HandlerContext, target: Target): string[] {
  const assignment =
    target === 'nowhere' ? '' : `${target === 'outside' ? 'const ' : ''}${context.variable(step)} = `;
  const line = `${assignment}await ${emitCodeCall(step, context)};`;
  context.bind(step, { type: 'json', nullable: false });
  return [line];
}

/** The code after a step: its exceptions, its index, its breaks. */
function emitEnd(
  step: Exclude<StepPlan, LoopStep>,
  context: HandlerContext,
  { positions }: StepContext,
): string[] {
  const exceptions = step.exceptions.map((exception, index) =>
    emitException(step, exception, index, context),
  );
  const store = step.index === undefined ? [] : emitStore(step, step.index, context, positions);
  return [...exceptions, ...store, ...emitBreaks(step, context)];
}

/** Stores the result under the index of this iteration. */
function emitStore(
  step: Exclude<StepPlan, LoopStep>,
  index: Expression,
  context: HandlerContext,
  positions: readonly string[],
): string[] {
  const values = [argument(emitExpression(index, context.scope)), context.result(step), ...positions];
  return [
    lineComment(`index: ${context.print(index)}`),
    `${context.indexes.get(step.fulfillment)?.variable ?? ''}.set(${values.join(', ')});`,
  ];
}

function emitBreaks(step: StepPlan, context: HandlerContext): string[] {
  return step.loopbreak.map((condition, index) => {
    const comment = lineComment(`loopbreak: ${context.print(condition)}`);
    const test = context.decision(
      'loopbreak',
      step.fulfillment,
      condition,
      context.points?.ofStep('loopbreak-if', step, index),
    );
    context.assume(condition, false);
    return `${comment}\nif (${test}) break;`;
  });
}

function emitException(
  step: StepPlan,
  exception: ExceptionPlan,
  index: number,
  context: HandlerContext,
): string {
  const point = context.points?.ofStep('exception-if', step, index);
  return emitThrow(exception, step.fulfillment, point, context);
}

/** An exception of the operation itself, before its first step. */
export function emitInputException(exception: ExceptionPlan, index: number, context: HandlerContext): string {
  return emitThrow(exception, 'request', context.points?.ofOperation('exception-if', index), context);
}

/** `of` is what it belongs to, for the test page. */
function emitThrow(
  exception: ExceptionPlan,
  of: string,
  point: number | undefined,
  context: HandlerContext,
): string {
  const { condition, statuscode, message } = exception;
  const test = `if (${context.decision('exception', of, condition, point)})`;
  const [text, options] = context.behind(condition, true, () => [
    emitTemplate(message, context.scope),
    emitFailureOptions(exception, of, context),
  ]);
  const end = `throw ${context.module.runtime('fail')}(${statuscode}, ${text}${options});`;
  context.assume(condition, false);
  const fitsOneLine = test.length + end.length < 90;
  return [
    lineComment(`exception: ${context.print(condition)}`),
    fitsOneLine ? `${test} ${end}` : `${test} {\n${end}\n}`,
  ].join('\n');
}

/** The header, the code and the body of an exception that has them. */
function emitFailureOptions(
  { header, code, schema }: ExceptionPlan,
  of: string,
  context: HandlerContext,
): string {
  const fields = [
    ...(header.length === 0 ? [] : [`header: ${emitHeaderLines(header, context.scope)}`]),
    ...(code === undefined ? [] : [`code: ${stringLiteral(code)}`]),
    ...(schema === undefined ? [] : [`body: ${emitErrorBody(schema, context.scope, `exception of ${of}`)}`]),
  ];
  return fields.length === 0 ? '' : `, { ${fields.join(', ')} }`;
}

function emitLoop(step: LoopStep, context: HandlerContext, around: StepContext): string[] {
  const elements = emitElements(
    step.loop,
    context.scope,
    step.fulfillment,
    bindsElement(step.steps, step.fulfillment),
  );
  const { text } = elements;
  const variable = context.variable(step);
  const ahead = emitAhead(step, elements, context);
  const isConcurrent = step.concurrency > 1;
  // If iterations run at the same time, the position in every enclosing loop decides which of two results is the later one.
  const needsPosition = isConcurrent ? indexesIn(step.steps) : hasConcurrentIndexes(step.steps);
  const position = needsPosition ? context.names.take(`${variable}Position`) : undefined;
  const inner = { positions: position === undefined ? around.positions : [...around.positions, position] };
  const parts = context.inside(step, elements, () => [
    ...emitSteps(step.steps, context, inner),
    ...emitBreaks(step, context),
  ]);
  const constants = context.reads.declarationsOf(variable).join('\n');
  const body = [...(constants === '' ? [] : [constants]), ...parts].join('\n\n');
  const traced = (kind: 'loop' | 'iterations', code: string): string =>
    context.debug
      ? `${context.module.runtime('traced')}.${kind}(${stringLiteral(step.fulfillment)}, ${code})`
      : code;
  if (!isConcurrent) {
    if (ahead !== undefined) return [`for ${ahead} {\n${body}\n}`];
    const element = position === undefined ? variable : `[${position}, ${variable}]`;
    const list = traced('loop', position === undefined ? text : `${text}.entries()`);
    if (alwaysWaits(step)) return [`for (const ${element} of ${list}) {\n${body}\n}`];
    // Without a statement in every iteration nothing else would get its turn.
    const inTurns = context.module.runtime('inTurns');
    return [`for await (const ${element} of ${inTurns}(call, ${list})) {\n${body}\n}`];
  }
  const parameters = position === undefined ? variable : `${variable}, ${position}`;
  const concurrently = context.module.runtime('concurrently');
  const iteration = traced('iterations', `async (${parameters}) => {\n${body}\n}`);
  return [`await ${concurrently}(call, ${step.concurrency}, ${text}, ${iteration});`];
}

/** Whether every iteration waits for a database or an API, so that other requests get their turn. */
function alwaysWaits({ steps }: LoopStep): boolean {
  return steps.some(
    (step) =>
      step.kind === 'data' &&
      step.condition === undefined &&
      step.choices.at(-1)?.condition === undefined &&
      !step.choices.some(({ action }) => action.kind === 'request' && action.isDelivered),
  );
}

/** Whether a loop inside runs iterations at the same time that store results under an index. */
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
