/** State that the emitters of one handler share: its module, its names, and the values in scope at the current position. */
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
} from '../code/code.js';
import type { DecisionKind } from '../../../runtime/trace/steps.js';
import { type Expression, type Syntax, printExpression } from '../plan/model.js';
import { camelCase, upperFirst } from '../plan/names/identifiers.js';
import type {
  CalledOperation,
  ChoicePlan,
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
import { nameConstants } from './module/constants.js';
import type { OperationPoints } from './cover-points.js';
import { emitCondition, type Elements } from './expression.js';
import type { Binding, ElementBinding, Scope } from './scope.js';
import type { Module } from './module/module.js';
import type { Names } from './module/names.js';
import type { ReadValue } from '../plan/requests/request-read.js';
import type { RepeatedReads } from '../plan/requests/repeated-reads.js';
import type { ReplyBodies, ReplyBody } from './types/reply-bodies.js';
import { RequestReads } from './request-reads.js';
import { emitRequest } from './request-call.js';
import { emitStatement } from './statement-declaration.js';

export class HandlerContext {
  readonly syntax: Syntax;
  readonly #variables = new Map<StepPlan, Name>();
  readonly #indexes = new Map<string, Binding>();
  #results: ReadonlyMap<string, Binding> = new Map();
  readonly #rowTypes = new Map<StepPlan, RowType>();
  readonly #rowsOf: ReadonlyMap<Name | undefined, RowType | undefined>;
  readonly #statuses = new Map<string, EmittedExpression>();
  readonly #responses = new Map<string, Name>();
  readonly #nexts = new Map<string, Name>();
  readonly #nextVariables = new Map<StepPlan, Name>();
  readonly #started = new Map<StepPlan, Name>();
  readonly #withRowsFromLoop = new Set<StepPlan>();
  readonly overlap: OverlapPlan;
  readonly #jsonRows: ReadonlySet<string>;
  /** Request values that constants read. */
  readonly reads: RequestReads;
  /** The statements and requests, each with the name of its constant. */
  readonly #actions: ReadonlyMap<ChoicePlan['action'], Name>;
  /** The declarations of its constants, in the order of the configuration. */
  readonly constants: ReadonlyMap<Name, Code>;
  /** The elements of the loops around, the innermost last. */
  readonly #elements: ElementBinding[] = [];

  constructor(
    readonly operation: OperationPlan,
    readonly module: Module,
    readonly names: Names,
    /** Whether the handler records its steps for the test page. */
    readonly debug: boolean,
    /** Request values that constants read. */
    repeated: RepeatedReads,
    /** Replies of the operations that it calls. */
    private readonly bodies?: ReplyBodies,
    /** Numbers of the points that the handler counts; undefined where it counts nothing. */
    readonly points?: OperationPoints,
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
    const indexes = steps.flatMap((step) =>
      step.index === undefined
        ? []
        : [{ step, code: names.take(`${this.variable(step).name}By${keyName(step.index)}`) }],
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
    const choices = steps.flatMap((step) =>
      step.kind === 'data'
        ? step.choices.map((choice) => ({
            ...choice,
            isChoice: step.choices.length > 1,
            row: this.rowType(step),
          }))
        : [],
    );
    const constants = nameConstants(
      choices.map((choice) => ({ ...choice, code: this.#constant(choice.action, choice.row) })),
      names,
    );
    this.#actions = constants.names;
    this.constants = constants.declarations;
    this.#rowsOf = new Map(choices.map(({ action, row }) => [this.#actions.get(action), row]));
  }

  /** The type of the rows of a step, where all columns are known. */
  rowType(step: StepPlan): RowType | undefined {
    return this.#rowTypes.get(step);
  }

  /** Whether the handler's result is unused: it is run by timers, and has no response. */
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

  /** Facts about the result of a reference call or user function. */
  #readOf(step: StepPlan): ReadValue | undefined {
    return step.kind === 'code' ? step.result : this.bodyOf(step)?.value;
  }

  /** The type of the result of a reference call or user function, as handlers name it. */
  bodyType(step: StepPlan): Name | undefined {
    if (step.kind === 'code')
      return step.result && this.module.import(functionsModule, resultType(step.function), true);
    const body = this.bodyOf(step);
    return body && this.module.import(body.path, body.name, true);
  }

  /** The constant of a statement or a request. */
  constantOf(action: ChoicePlan['action']): Name {
    const constant = this.#actions.get(action);
    if (constant === undefined) throw new Error('A statement has no constant.');
    return constant;
  }

  /** The row type of a statement, by its constant. */
  rowsOf(constant: Name): RowType | undefined {
    return this.#rowsOf.get(constant);
  }

  /** The results that are stored under an index, by fulfillment name: their variable and type. */
  get indexes(): ReadonlyMap<string, Binding> {
    return this.#indexes;
  }

  get scope(): Scope {
    return {
      module: this.module,
      names: this.names,
      results: this.#results,
      jsonRows: this.#jsonRows,
      indexes: this.#indexes,
      statuses: this.#statuses,
      responses: this.#responses,
      nexts: this.#nexts,
      element: this.#elements.at(-1),
      request: this.operation.request,
      reads: this.reads,
      settled: this.operation.settled,
      unreached: this.operation.unreached,
      times: this.operation.times,
    };
  }

  /** The variable of a step's result, or of a loop's element. */
  variable(step: StepPlan): Name {
    const variable = this.#variables.get(step);
    if (variable === undefined) throw new Error(`Fulfillment '${step.fulfillment}' has no variable.`);
    return variable;
  }

  /** The variable of the text for the next page; undefined where it is not read. */
  nextOf(step: StepPlan): Name | undefined {
    return this.#nextVariables.get(step);
  }

  /** The variable of the read that a step has started before its turn; undefined where it has not. */
  started(step: StepPlan): Name | undefined {
    return this.#started.get(step);
  }

  /** Names the variable of the statement that the step starts before its turn. */
  takeStarted(step: StepPlan, what: 'Read' | 'Run' = 'Read'): Name {
    const name = this.names.take(`${this.variable(step).name}${what}`);
    this.#started.set(step, name);
    return name;
  }

  /** Whether the enclosing loop yields its rows with the element. */
  hasRowsFromLoop(step: StepPlan): boolean {
    return this.#withRowsFromLoop.has(step);
  }

  takeRows(step: StepPlan): void {
    this.#withRowsFromLoop.add(step);
  }

  /** How the step's result is read: a response has it as its body. */
  result(step: StepPlan): Code {
    return isResponse(step) ? member(this.variable(step), 'body') : this.variable(step);
  }

  /** From here on expressions read the step's result as this; without a binding its value is null. */
  bind(step: StepPlan, binding: Omit<Binding, 'code'> | undefined): void {
    const missing: Binding = { code: nothing, type: 'json', nullable: false };
    const bound = binding && {
      ...binding,
      nullable: binding.nullable || continues(step),
      code: this.result(step),
      row: this.rowType(step),
      read: this.#readOf(step),
    };
    this.#set(step.fulfillment, bound ?? missing);
    const next = this.nextOf(step);
    if (next === undefined || binding === undefined) this.#nexts.delete(step.fulfillment);
    else this.#nexts.set(step.fulfillment, next);
    if (!isResponse(step)) return;
    if (binding === undefined) this.#responses.delete(step.fulfillment);
    else this.#responses.set(step.fulfillment, this.variable(step));
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

  /** Code after a condition that is known to be true, or to be false. */
  behind<Emitted>(condition: Expression, holds: boolean, emit: () => Emitted): Emitted {
    return this.inBranches(() => {
      this.assume(condition, holds);
      return emit();
    });
  }

  /** Code that is emitted as branches: knowledge of `isOver` about their conditions ends after them. */
  inBranches<Emitted>(emit: (isOver: (condition: Expression) => void) => Emitted): Emitted {
    const before = this.#results;
    const emitted = emit((condition) => {
      this.assume(condition, false);
    });
    // A variable of a branch may not exist after it.
    const inside = [...this.#results].filter(([name]) => !before.has(name));
    this.#results = new Map([...before, ...inside]);
    return emitted;
  }

  /** From here on the condition has held, or has not. */
  assume(condition: Expression, holds: boolean): void {
    // TypeScript learns nothing from a condition that is recorded for the test page.
    if (!this.debug && this.points === undefined)
      this.#results = behind(condition, holds, this.scope).results;
  }

  /** Code with the element of a loop in scope, under the loop's name and as `@`. */
  withElement<Emitted>(
    loop: LoopStep,
    { type, row, isExact = false }: Elements,
    emit: () => Emitted,
    isInLoop = false,
  ): Emitted {
    const element = { code: this.variable(loop), type, nullable: false, row, isInLoop, isExact };
    this.#elements.push(element);
    this.#set(loop.fulfillment, element);
    const emitted = emit();
    this.#elements.pop();
    return emitted;
  }

  /** Code of the head of a loop, where the rows of these steps are parameters of functions. */
  withRows<Emitted>(steps: readonly DataStep[], emit: () => Emitted): Emitted {
    return this.inBranches(() => {
      for (const step of steps)
        this.bind(step, { type: step.isFirstRow ? 'first' : 'rows', nullable: false });
      const emitted = emit();
      for (const step of steps) this.bind(step, undefined);
      return emitted;
    });
  }

  /** Code inside a loop, whose results are out of scope after it. */
  inside<Emitted>(loop: LoopStep, elements: Elements, emit: () => Emitted): Emitted {
    const emitted = this.inBranches(() => this.withElement(loop, elements, emit, true));
    // Results inside a loop are not visible outside, and a loop has no result.
    for (const step of [loop, ...loop.steps]) this.bind(step, undefined);
    return emitted;
  }

  /** Imports the handler of another operation and returns its name; an operation may call itself. */
  handlerOf({ name: called, functionName, fileName }: CalledOperation): Name {
    if (called === this.operation.name) return name(functionName);
    return this.module.import(`src/operations/${fileName}`, functionName);
  }

  /**
   * The condition as code; `kind` and `owner` identify its owner, `point` is its number for the coverage, `tested` is the part that is
   * still undecided.
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

  /** The call that counts a reached point; empty unless points are counted. */
  counted(point: number | undefined): Statement[] {
    if (point === undefined) return [];
    return [run(method(this.module.runtime('cover'), 'step', literal(point)))];
  }

  /** The call that records something of `owner` for the test page. */
  traced(what: string, owner: string, ...args: readonly Code[]): Code {
    return method(this.module.runtime('traced'), what, literal(owner), ...args);
  }

  print(expression: Expression): string {
    return printExpression(expression, this.syntax);
  }

  #constant(action: ChoicePlan['action'], row: RowType | undefined): Code {
    if (action.kind === 'request') return emitRequest(action, this);
    return emitStatement(action, row, this.module, this.#isReadAtOnce(action));
  }

  /** Whether a loop may read it for several elements in one query. */
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
    // In TypeScript an underscore means that the element is not read.
    const isUnread = step.kind === 'loop' && !step.isElementRead;
    return this.names.take(isUnread ? `_${wished}` : wished, 'Result');
  }
}

/** Whether its variable has a status in addition to the body. */
function isResponse(step: StepPlan): boolean {
  return (
    (step.kind === 'data' && step.result === 'response') || (step.kind === 'reference' && step.continues)
  );
}

function continues(step: StepPlan): boolean {
  return 'continues' in step && step.continues;
}

/** The name of an index: `VALUE(line, $.product)` is Product, `VALUE(page, $)` is Page. */
function keyName(index: Expression): string {
  const path = 'path' in index ? index.path : [];
  const last = path.at(-1);
  const name =
    last?.kind === 'name' ? last.name : path.length === 0 && 'name' in index ? index.name : undefined;
  return name === undefined || name.length > 40 ? 'Index' : upperFirst(camelCase(name, 'index'));
}

/** All steps, those inside loops included, in the order of the configuration. */
function allSteps(steps: readonly StepPlan[]): StepPlan[] {
  return steps.flatMap((step) => [step, ...(step.kind === 'loop' ? allSteps(step.steps) : [])]);
}
