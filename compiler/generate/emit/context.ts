/** State shared by the emitters of one handler: its module, its names, and the values currently in scope. */
import {
  literal,
  member,
  name,
  method,
  nothing,
  run,
  type Code,
  type Name,
  type Statement,
  type Type,
} from '../code/code.js';
import type { DecisionKind } from '../../../runtime/trace/steps.js';
import { type Expression, type PageFact, type Syntax, printExpression } from '../plan/model.js';
import { camelCase, upperFirst } from '../plan/names/identifiers.js';
import type {
  CalledOperation,
  ComputeStep,
  DataStep,
  LoopStep,
  OperationPlan,
  OverlapPlan,
  StatementPlan,
  StepPlan,
} from '../plan/operation-plan.js';
import { behind } from './narrowing.js';
import type { EmittedExpression, RowType } from './module/emitted-expression.js';
import { functionsModule, resultType } from './service/function-types.js';
import { nameConstants, type Action, type Declared } from './module/constants.js';
import type { OperationPoints } from './cover-points.js';
import { emitCondition, type Elements } from './expression.js';
import type { Binding, ElementBinding, PagingVariable, Scope } from './scope.js';
import { isOfRequest } from './of-request.js';
import type { Module } from './module/module.js';
import type { Names } from './module/names.js';
import type { ReadValue } from '../plan/requests/request-read.js';
import type { RepeatedReads } from '../plan/requests/repeated-reads.js';
import type { ReplyBodies, ReplyBody } from './types/reply-bodies.js';
import { valueType } from './types/request-type.js';
import { RequestReads } from './request-reads.js';
import { emitMessage } from './message-call.js';
import { emitRequest } from './request-call.js';
import { emitStoredCall } from './stored-call.js';
import { emitStatement } from './statement-declaration.js';

export class HandlerContext {
  readonly syntax: Syntax;
  readonly #variables = new Map<StepPlan, Name>();
  readonly #indexes = new Map<string, Binding>();
  readonly #outcomes = { status: new Map<string, Name>(), failure: new Map<string, Name>() };
  #results: ReadonlyMap<string, Binding> = new Map();
  readonly #rowTypes = new Map<StepPlan, RowType>();
  readonly #rowsOf: ReadonlyMap<Name | undefined, RowType | undefined>;
  readonly #statuses = new Map<string, EmittedExpression>();
  readonly #responses = new Map<string, Name>();
  readonly #nexts = new Map<string, Name>();
  readonly #pagingVariables = new Map<StepPlan, ReadonlyMap<PageFact, Name>>();
  readonly #paging = new Map<string, ReadonlyMap<PageFact, PagingVariable>>();
  readonly #nextVariables = new Map<StepPlan, Name>();
  #signal: Name | undefined;
  readonly #started = new Map<StepPlan, Name>();
  readonly #computed = new Map<ComputeStep, ReadValue>();
  readonly #withRowsFromLoop = new Set<StepPlan>();
  readonly overlap: OverlapPlan;
  readonly #jsonRows: ReadonlySet<string>;
  /** Request values stored in constants. */
  readonly reads: RequestReads;
  /** Statements, requests and calls after the commit with the names of their constants. */
  readonly #actions: ReadonlyMap<Action, Name>;
  /** Declarations of the handler's constants, in configuration order. */
  readonly constants: ReadonlyMap<Name, Code>;
  /** Elements of the enclosing loops, innermost last. */
  readonly #elements: ElementBinding[] = [];

  constructor(
    readonly operation: OperationPlan,
    readonly module: Module,
    readonly names: Names,
    /** Whether the handler records its steps for the test page. */
    readonly debug: boolean,
    /** Request values that are read more than once. */
    repeated: RepeatedReads,
    /** Replies of the operations that the handler calls. */
    private readonly bodies?: ReplyBodies,
    /** Numbers for the handler's coverage points; undefined if coverage is not counted. */
    readonly points?: OperationPoints,
    /** The identifiers of authentications that issue tokens, by name. */
    private readonly authentications: ReadonlyMap<string, string> = new Map(),
    /** The types of the results of user functions that expressions call, by name. */
    private readonly functions: Scope['functions'] = new Map(),
  ) {
    this.reads = new RequestReads(repeated, names);
    this.syntax = operation.syntax;
    this.overlap = operation.overlap;
    this.#jsonRows = new Set([...operation.jsonRows.keys()].map(({ fulfillment }) => fulfillment));
    const steps = allSteps(operation.steps);
    for (const step of steps) this.#variables.set(step, this.#variableOf(step));
    for (const step of steps)
      if (step.kind === 'data' && step.page?.isNextRead === true)
        this.#nextVariables.set(step, names.take(`${this.variable(step).name}Next`));
    for (const step of steps) {
      if (step.kind !== 'data' || step.page === undefined || step.page.facts.length === 0) continue;
      const variables = step.page.facts.map(
        (fact) => [fact, names.take(`${this.variable(step).name}${upperFirst(fact)}`)] as const,
      );
      this.#pagingVariables.set(step, new Map(variables));
    }
    const indexes = steps.flatMap((step) =>
      step.index !== undefined && step.stored.includes('result')
        ? [{ step, code: names.take(`${this.variable(step).name}By${keyName(step.index)}`) }]
        : [],
    );
    for (const step of steps)
      for (const part of step.stored)
        if (step.index !== undefined && part !== 'result')
          this.#outcomes[part].set(
            step.fulfillment,
            names.take(`${this.variable(step).name}${upperFirst(part)}By${keyName(step.index)}`),
          );
    for (const step of steps) {
      if (step.kind !== 'data' || step.row === undefined) continue;
      const { name } = names.take(`${upperFirst(camelCase(step.fulfillment, 'result'))}Row`);
      this.#rowTypes.set(step, { name, ...step.row });
    }
    for (const { step, code } of indexes) {
      const type = step.kind === 'data' && step.result === 'rows' ? 'rows' : 'json';
      const read = this.#readOf(step);
      this.#indexes.set(step.fulfillment, { code, type, nullable: true, row: this.rowType(step), read });
    }
    const choices = steps.flatMap(
      (step): (Omit<Declared, 'code'> & { readonly row: RowType | undefined })[] => {
        if (step.kind === 'deferred')
          return [{ action: step, condition: step.condition, isChoice: false, row: undefined }];
        if (step.kind !== 'data') return [];
        const isChoice = step.choices.length > 1;
        return step.choices.map((choice) => ({ ...choice, isChoice, row: this.rowType(step) }));
      },
    );
    const constants = nameConstants(
      choices.map((choice) => ({ ...choice, code: this.#constant(choice.action, choice.row) })),
      names,
    );
    this.#actions = constants.names;
    this.constants = constants.declarations;
    this.#rowsOf = new Map(choices.map(({ action, row }) => [this.#actions.get(action), row]));
  }

  /** The row type of a step; undefined unless all columns are known. */
  rowType(step: StepPlan): RowType | undefined {
    return this.#rowTypes.get(step);
  }

  /** Whether the handler's result is unused: only timers run the operation, and it has no response. */
  get isSilent(): boolean {
    const { endpoint, responses } = this.operation;
    return (
      endpoint === undefined &&
      responses.length === 0 &&
      this.bodies !== undefined &&
      !this.bodies.isCalled(this.operation)
    );
  }

  /** The type of a reference call's result; undefined if it is unknown. */
  bodyOf(step: StepPlan): ReplyBody | undefined {
    return step.kind === 'reference' ? this.bodies?.of(step.called.name) : undefined;
  }

  /** Facts about the result of a reference call, a user function or a computed value. */
  #readOf(step: StepPlan): ReadValue | undefined {
    if (step.kind === 'compute') return this.#computed.get(step);
    return step.kind === 'code' ? step.result : this.bodyOf(step)?.value;
  }

  /** Notes the value of a COMPUTE, which later expressions read. */
  compute(step: ComputeStep, value: ReadValue): void {
    this.#computed.set(step, value);
  }

  /** The type of a computed value; undefined for other steps. */
  computedType(step: StepPlan): Type | undefined {
    const value = step.kind === 'compute' ? this.#computed.get(step) : undefined;
    if (value === undefined) return undefined;
    // The declaration adds null, for a step that is skipped.
    const kinds = new Set([...value.type.kinds].filter((kind) => kind !== 'null'));
    return kinds.size === 0
      ? undefined
      : valueType({ ...value, type: { ...value.type, kinds } }, this.module);
  }

  /** The declared type of the result of a reference call or user function. */
  bodyType(step: StepPlan): Name | undefined {
    if (step.kind === 'code')
      return step.result && this.module.import(functionsModule, resultType(step.function), true);
    const body = this.bodyOf(step);
    return body && this.module.import(body.path, body.name, true);
  }

  /** The constant of a statement, a request or a call after the commit. */
  constantOf(action: Action): Name {
    const constant = this.#actions.get(action);
    if (constant === undefined) throw new Error('A statement has no constant.');
    return constant;
  }

  /** The row type of a statement's constant. */
  rowsOf(constant: Name): RowType | undefined {
    return this.#rowsOf.get(constant);
  }

  /** Variables and types of results stored under an index, by fulfillment name. */
  get indexes(): ReadonlyMap<string, Binding> {
    return this.#indexes;
  }

  /** The variables of the statuses and failures that are stored under an index, by fulfillment name. */
  get outcomes(): Scope['outcomes'] {
    return this.#outcomes;
  }

  get scope(): Scope {
    return {
      module: this.module,
      names: this.names,
      results: this.#results,
      jsonRows: this.#jsonRows,
      indexes: this.#indexes,
      outcomes: this.#outcomes,
      statuses: this.#statuses,
      responses: this.#responses,
      nexts: this.#nexts,
      paging: this.#paging,
      authentications: this.authentications,
      functions: this.functions,
      element: this.#elements.at(-1),
      request: this.operation.request,
      reads: this.reads,
      settled: this.operation.settled,
      unreached: this.operation.unreached,
      times: this.operation.times,
      digits: this.operation.digits,
    };
  }

  /** The variable of a step's result, or of a loop's element. */
  variable(step: StepPlan): Name {
    const variable = this.#variables.get(step);
    if (variable === undefined) throw new Error(`Fulfillment '${step.fulfillment}' has no variable.`);
    return variable;
  }

  /** The variable of the next-page token; undefined if the token is not read. */
  nextOf(step: StepPlan): Name | undefined {
    return this.#nextVariables.get(step);
  }

  /** The variables of other facts about the page that are read. */
  pagingOf(step: StepPlan): ReadonlyMap<PageFact, Name> {
    return this.#pagingVariables.get(step) ?? new Map();
  }

  /** The variable of a read that the step started early; undefined if the read was not started early. */
  started(step: StepPlan): Name | undefined {
    return this.#started.get(step);
  }

  /** Reserves a name for the variable of a statement that the step starts early. */
  takeStarted(step: StepPlan, what: 'Read' | 'Run' = 'Read'): Name {
    const name = this.names.take(`${this.variable(step).name}${what}`);
    this.#started.set(step, name);
    return name;
  }

  /** The signal that aborts requests sent at the same time as others; undefined outside of them. */
  get signal(): Name | undefined {
    return this.#signal;
  }

  withSignal<Emitted>(signal: Name, emit: () => Emitted): Emitted {
    this.#signal = signal;
    const emitted = emit();
    this.#signal = undefined;
    return emitted;
  }

  /** Whether the enclosing loop yields its rows with the element. */
  hasRowsFromLoop(step: StepPlan): boolean {
    return this.#withRowsFromLoop.has(step);
  }

  takeRows(step: StepPlan): void {
    this.#withRowsFromLoop.add(step);
  }

  /** Code that reads the step's result; the result of a response is its body. */
  result(step: StepPlan): Code {
    return isResponse(step) ? member(this.variable(step), 'body') : this.variable(step);
  }

  /** Sets how subsequent expressions read the step's result; without a binding, its value is null. */
  bind(step: StepPlan, binding: Omit<Binding, 'code'> | undefined): void {
    const missing: Binding = { code: nothing, type: 'json', nullable: false };
    const bound = binding && {
      ...binding,
      nullable: binding.nullable || continues(step),
      code: this.result(step),
      row: this.rowType(step),
      read: this.#readOf(step),
      ...(step.kind === 'compute' ? { isComputed: true } : {}),
    };
    // A mail has no result to read, only a failure.
    this.#set(step.fulfillment, isOutcome(step) ? missing : (bound ?? missing));
    const next = this.nextOf(step);
    if (next === undefined || binding === undefined) this.#nexts.delete(step.fulfillment);
    else this.#nexts.set(step.fulfillment, next);
    if (binding === undefined) this.#paging.delete(step.fulfillment);
    else {
      const { nullable } = binding;
      const variables = [...this.pagingOf(step)].map(([fact, code]) => [fact, { code, nullable }] as const);
      this.#paging.set(step.fulfillment, new Map(variables));
    }
    if (!isResponse(step) && !isOutcome(step)) return;
    if (binding === undefined) this.#responses.delete(step.fulfillment);
    else this.#responses.set(step.fulfillment, this.variable(step));
    if (isOutcome(step)) return;
    const isSent = binding?.nullable === false && !continues(step);
    this.#statuses.set(
      step.fulfillment,
      binding === undefined
        ? { code: nothing, type: 'status' }
        : { code: member(this.variable(step), 'status'), type: isSent ? 'number' : 'status' },
    );
  }

  #set(fulfillment: string, binding: Binding): void {
    this.#results = new Map([...this.#results, [fulfillment, binding]]);
  }

  /** Emits code in a branch whose condition is known to be true (`holds`) or false. */
  behind<Emitted>(condition: Expression, holds: boolean, emit: () => Emitted): Emitted {
    return this.inBranches(() => {
      this.assume(condition, holds);
      return emit();
    });
  }

  /** Emits code as branches. A call of `isOver` marks a condition as false from there on; this knowledge ends with the branches. */
  inBranches<Emitted>(emit: (isOver: (condition: Expression) => void) => Emitted): Emitted {
    const before = this.#results;
    const emitted = emit((condition) => {
      this.assume(condition, false);
    });
    // Variables of a branch may not exist after it.
    const inside = [...this.#results].filter(([name]) => !before.has(name));
    this.#results = new Map([...before, ...inside]);
    return emitted;
  }

  /** Records that the condition is true (`holds`) or false from here on. */
  assume(condition: Expression, holds: boolean): void {
    // TypeScript cannot narrow by a condition that is wrapped in a recording call.
    if (!this.debug && this.points === undefined)
      this.#results = behind(condition, holds, this.scope).results;
  }

  /** Emits code with a loop's element in scope, both under the loop's name and as `@`. */
  withElement<Emitted>(
    loop: LoopStep,
    { type, row, isExact = false }: Elements,
    emit: () => Emitted,
    isInLoop = false,
  ): Emitted {
    const ofRequest = isOfRequest(loop.loop, this.scope);
    const element = {
      ...{ code: this.variable(loop), type, nullable: false, row, isInLoop, isExact },
      isOfRequest: ofRequest,
    };
    this.#elements.push(element);
    this.#set(loop.fulfillment, element);
    const emitted = emit();
    this.#elements.pop();
    return emitted;
  }

  /** Emits the head of a loop, where the rows of the given steps are function parameters. */
  withRows<Emitted>(steps: readonly DataStep[], emit: () => Emitted): Emitted {
    return this.inBranches(() => {
      for (const step of steps)
        this.bind(step, { type: step.isFirstRow ? 'first' : 'rows', nullable: false });
      const emitted = emit();
      for (const step of steps) this.bind(step, undefined);
      return emitted;
    });
  }

  /** Emits code inside a loop; its results go out of scope after the loop. */
  inside<Emitted>(loop: LoopStep, elements: Elements, emit: () => Emitted): Emitted {
    const emitted = this.inBranches(() => this.withElement(loop, elements, emit, true));
    // Results inside a loop are not visible outside, and the loop itself has no result.
    for (const step of [loop, ...loop.steps]) this.bind(step, undefined);
    return emitted;
  }

  /** Imports another operation's handler and returns its name; an operation may also call itself. */
  handlerOf({ name: called, functionName, fileName }: CalledOperation): Name {
    if (called === this.operation.name) return name(functionName);
    return this.module.import(`src/operations/${fileName}`, functionName);
  }

  /**
   * The condition as code. `kind` and `owner` identify its owner, `point` is its coverage number, and `tested` is the part that is still
   * undecided.
   */
  decision(
    kind: DecisionKind,
    owner: string,
    condition: Expression,
    point?: number,
    tested: Expression = condition,
  ): Code {
    const plain = emitCondition(tested, this.scope);
    const code =
      point === undefined ? plain : method(this.module.runtime('cover'), 'condition', literal(point), plain);
    if (!this.debug) return code;
    return this.traced(kind, owner, literal(this.print(condition)), code);
  }

  /** The call that counts a reached point; empty if coverage is not counted. */
  counted(point: number | undefined): Statement[] {
    if (point === undefined) return [];
    return [run(method(this.module.runtime('cover'), 'step', literal(point)))];
  }

  /** The call that records an event of `owner` for the test page. */
  traced(what: string, owner: string, ...args: readonly Code[]): Code {
    return method(this.module.runtime('traced'), what, literal(owner), ...args);
  }

  print(expression: Expression): string {
    return printExpression(expression, this.syntax);
  }

  #constant(action: Action, row: RowType | undefined): Code {
    if (action.kind === 'request') return emitRequest(action, this);
    if (action.kind === 'deferred') return emitStoredCall(action, this.module);
    if (action.kind === 'message') return emitMessage(action, this.module);
    return emitStatement(action, row, this.module, this.#isReadAtOnce(action));
  }

  /** Whether a loop may read this statement for several elements in one query. */
  #isReadAtOnce(action: StatementPlan): boolean {
    const loops = [...this.overlap.loops.values()];
    return (
      action.each !== undefined &&
      loops.some(
        ({ reads, isChain }) =>
          (isChain || reads.length === 1) && reads.some(({ statement }) => statement === action),
      )
    );
  }

  #variableOf(step: StepPlan): Name {
    const wished = camelCase(step.fulfillment, 'result');
    // An underscore tells TypeScript that the element is unused.
    const isUnread = step.kind === 'loop' && !step.isElementRead;
    return this.names.take(isUnread ? `_${wished}` : wished, 'Result');
  }
}

/** Whether the step's variable holds a status in addition to the body. */
function isResponse(step: StepPlan): boolean {
  return (
    (step.kind === 'data' && step.result === 'response') || (step.kind === 'reference' && step.continues)
  );
}

/** Whether the step's variable holds the failure of a mail. */
function isOutcome(step: StepPlan): boolean {
  return step.kind === 'data' && step.result === 'outcome';
}

function continues(step: StepPlan): boolean {
  return 'continues' in step && step.continues;
}

/** The name part for an index: Product for `VALUE(line, $.product)`, Page for `VALUE(page, $)`. */
function keyName(index: Expression): string {
  const path = 'path' in index ? index.path : [];
  const last = path.at(-1);
  const name =
    last?.kind === 'name' ? last.name : path.length === 0 && 'name' in index ? index.name : undefined;
  return name === undefined || name.length > 40 ? 'Index' : upperFirst(camelCase(name, 'index'));
}

/** All steps including those inside loops, in configuration order. */
function allSteps(steps: readonly StepPlan[]): StepPlan[] {
  return steps.flatMap((step) => [step, ...(step.kind === 'loop' ? allSteps(step.steps) : [])]);
}
