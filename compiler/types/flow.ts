/** Follows an operation from its first fulfillment to its responses, and decides each condition by what is known where it stands. */
import type {
  Exception,
  Fulfillment,
  Instruction,
  Operation,
  Request,
  Schema,
} from '../config/config-model.js';
import type { Comparison, Expression, Template } from '../expression/ast.js';
import { parts } from '../expression/visit.js';
import type { Place } from '../source.js';
import { decide, isPinned } from './decide.js';
import { Environment, type Readable } from './visible-values.js';
import { formulaOf, not, type Formula } from './formula.js';
import { elementOf, typeOf } from './infer.js';
import { keyOf } from './subject.js';
import { nullValue, orNull, rows, unknownValue, type ValueType } from './value-type.js';

/** What a condition belongs to; `operand` is a part of a condition that as a whole is open. */
export type Site = 'if' | 'instruction' | 'exception' | 'loopbreak' | 'response' | 'operand';

/** A condition that is the same for every call. */
export interface Decision {
  readonly verdict: 'never' | 'always';
  readonly condition: Expression;
  readonly site: Site;
  readonly environment: Environment;
  /** The earlier condition that decides it, or several of them together; undefined where it decides itself. */
  readonly because: Known | 'several' | undefined;
}

/** A condition that has held, or has not, wherever what follows is reached. */
export interface Known {
  readonly formula: Formula;
  readonly site: Site;
  readonly place: Place;
  /** Whether the condition holds. */
  readonly holds: boolean;
}

export interface Flow {
  readonly decisions: readonly Decision[];
  /**
   * Comparisons with a constant of a value that TypeScript knows to be another one: a handler makes them by a helper, because
   * TypeScript refuses its own operator there.
   */
  readonly settled: ReadonlySet<Expression>;
}

/** Found once for the checks and the plan of the same operation. */
const flows = new WeakMap<Operation, Flow>();

export function flowOf(operation: Operation): Flow {
  const known = flows.get(operation);
  if (known !== undefined) return known;
  const walk = new Walk();
  walk.operation(operation);
  const flow = { decisions: walk.decisions, settled: walk.settled };
  flows.set(operation, flow);
  return flow;
}

/** What is known at a place. */
interface State {
  readonly environment: Environment;
  readonly known: readonly Known[];
}

class Walk {
  readonly decisions: Decision[] = [];
  readonly settled = new Set<Expression>();
  #count = 0;

  operation({ fulfillments, responses, mappings }: Operation): void {
    const end = this.#fulfillments(fulfillments, { environment: Environment.empty, known: [] });
    let state = end;
    for (const response of responses.filter(({ default: isDefault }) => !isDefault)) {
      if (response.if === undefined) continue;
      const { held, failed } = this.#condition(response.if, state, 'response');
      this.#schema(response.schema, held);
      state = failed;
    }
    for (const response of responses.filter(({ default: isDefault }) => isDefault))
      this.#schema(response.schema, state);
    for (const mapping of mappings) for (const { value } of mapping.fields) this.#value(value, end);
  }

  #fulfillments(fulfillments: readonly Fulfillment[], start: State): State {
    let state = start;
    for (const fulfillment of fulfillments) state = this.#fulfillment(fulfillment, state);
    return state;
  }

  #fulfillment(fulfillment: Fulfillment, before: State): State {
    const name = fulfillment.name.value;
    if (fulfillment.if === undefined) return this.#run(fulfillment, before);
    const { held, failed } = this.#condition(fulfillment.if, before, 'if');
    const after = this.#run(fulfillment, held);
    // Either it was skipped, or what is known behind it holds.
    const skipped = failed.known.at(-1);
    const ran = after.known.slice(before.known.length);
    const joined = ran.slice(1).flatMap((one): Known[] => {
      if (skipped === undefined) return [];
      return [{ ...one, formula: { kind: 'or', of: [skipped.formula, one.formula] } }];
    });
    const result = after.environment.result(name);
    return {
      environment: after.environment.with(name, { ...result, type: orNull(result.type) }),
      known: [...before.known, ...joined],
    };
  }

  /** The fulfillment where it is not skipped, with what comes right after it. */
  #run(fulfillment: Fulfillment, before: State): State {
    let state = this.#action(fulfillment, before);
    for (const exception of fulfillment.exceptions) state = this.#exception(exception, state);
    if (fulfillment.type === 'LOOP') return state;
    this.#value(fulfillment.index, state);
    for (const condition of fulfillment.loopbreak)
      state = this.#condition(condition, state, 'loopbreak').failed;
    return state;
  }

  #action(fulfillment: Fulfillment, before: State): State {
    const name = fulfillment.name.value;
    const bind = (type: ValueType): State => ({
      ...before,
      environment: before.environment.with(name, this.#readable(name, type)),
    });
    switch (fulfillment.type) {
      case 'READ':
      case 'UPDATE':
        return bind(this.#instructions(fulfillment.instructions, before));
      case 'REFERENCE':
        for (const { value } of fulfillment.parameters) this.#schema(value, before);
        return bind(unknownValue);
      case 'LOOP': {
        this.#value(fulfillment.loop, before);
        const type = fulfillment.loop && elementOf(typeOf(fulfillment.loop, before.environment));
        const element = this.#readable(name, type ?? unknownValue);
        const environment = before.environment.with(name, element).withElement(element);
        let state = this.#fulfillments(fulfillment.fulfillments, { ...before, environment });
        for (const condition of fulfillment.loopbreak)
          state = this.#condition(condition, state, 'loopbreak').failed;
        // The loop may not have run at all, and it has no result.
        return bind(nullValue);
      }
    }
  }

  #readable(name: string, type: ValueType): Readable {
    this.#count += 1;
    return { key: `${name}#${this.#count}`, type };
  }

  /** Gives the type of the result. */
  #instructions(instructions: readonly Instruction[], before: State): ValueType {
    let state = before;
    let isAlways = false;
    for (const { if: condition, action, expressions } of instructions) {
      const chosen = condition === undefined ? undefined : this.#condition(condition, state, 'instruction');
      const held = chosen?.held ?? state;
      for (const expression of expressions) this.#value(expression, held);
      if (action !== undefined && 'kind' in action) this.#request(action, held);
      isAlways ||= condition === undefined;
      // Those behind one without a condition are never looked at.
      if (chosen === undefined) break;
      state = chosen.failed;
    }
    if (instructions.some(({ action }) => action === undefined || 'kind' in action)) return unknownValue;
    return isAlways ? rows : orNull(rows);
  }

  #request({ url, header, body, multipart }: Request, state: State): void {
    this.#template(url?.value, state);
    for (const { value } of header) this.#template(value, state);
    this.#schema(body, state);
    for (const { value } of multipart) this.#value(value, state);
  }

  #exception({ if: condition, message }: Exception, state: State): State {
    if (condition === undefined) return state;
    const { held, failed } = this.#condition(condition, state, 'exception');
    this.#template(message, held);
    return failed;
  }

  #template(template: Template | undefined, state: State): void {
    for (const part of template ?? []) if (typeof part !== 'string') this.#value(part, state);
  }

  #schema(schema: Schema | undefined, state: State): void {
    switch (schema?.kind) {
      case 'leaf':
        this.#value(schema.value, state);
        break;
      case 'object':
        for (const field of schema.fields) this.#schema(field.value, state);
        break;
      case 'array': {
        this.#value(schema.list, state);
        const element = this.#readable('@', elementOf(typeOf(schema.list, state.environment)));
        this.#schema(schema.item, { ...state, environment: state.environment.withElement(element) });
        break;
      }
      case undefined:
        break;
    }
  }

  /** An expression that gives a value: what it compares is looked at, and nothing is decided. */
  #value(expression: Expression | undefined, state: State): void {
    if (expression !== undefined) this.#settle(expression, state);
  }

  /** Decides a condition, and gives what is known where it holds and where it does not. */
  #condition(condition: Expression, state: State, site: Site): { held: State; failed: State } {
    this.#settle(condition, state);
    this.#report(condition, state, site);
    const formula = formulaOf(condition, state.environment);
    const known = (holds: boolean): State => ({
      ...state,
      known: [
        ...state.known,
        { formula: holds ? formula : not(formula), site, place: condition.place, holds },
      ],
    });
    return { held: known(true), failed: known(false) };
  }

  #report(condition: Expression, { environment, known }: State, site: Site): void {
    const formula = formulaOf(condition, environment);
    const verdict = decide(
      formula,
      known.map((one) => one.formula),
    );
    if (verdict === 'never' || verdict === 'always') {
      const because = reasonOf(formula, verdict, known);
      // Two instructions, or responses, of which one or the other is chosen, may say so of both.
      const isAlternative = because !== undefined && (site === 'instruction' || site === 'response');
      if (verdict === 'never' || !isAlternative)
        this.decisions.push({ verdict, condition, site, environment, because });
      return;
    }
    if (verdict === 'open') this.#reportOperands(condition, { environment, known });
  }

  /** The operands of a condition that is open: one that never holds, or that says the same again. */
  #reportOperands(condition: Expression, state: State): void {
    if (condition.kind === 'not') this.#reportOperands(condition.operand, state);
    if (condition.kind !== 'logical') return;
    const { left, right, operator } = condition;
    this.#reportOperand(left, state);
    if (keyOf(left, state.environment) === keyOf(right, state.environment)) {
      const because = behindLeft(condition, state).known.at(-1);
      const verdict = operator === '&&' ? 'always' : 'never';
      this.decisions.push({
        ...{ verdict, condition: right, site: 'operand', because },
        environment: state.environment,
      });
    } else this.#reportOperand(right, behindLeft(condition, state));
  }

  #reportOperand(condition: Expression, state: State): void {
    const { environment, known } = state;
    const formula = formulaOf(condition, environment);
    const verdict = decide(
      formula,
      known.map((one) => one.formula),
    );
    if (verdict === 'open') this.#reportOperands(condition, state);
    if (verdict !== 'never') return;
    const because = reasonOf(formula, verdict, known);
    // Alternatives may overlap: `a`, and then `a || b`.
    const mayOverlap =
      because === 'several' ||
      (because?.holds === false && ['instruction', 'response', 'operand'].includes(because.site));
    if (!mayOverlap) this.decisions.push({ verdict, condition, site: 'operand', environment, because });
  }

  /** Finds the comparisons that TypeScript would refuse. */
  #settle(expression: Expression, state: State): void {
    if (expression.kind === 'logical') {
      this.#settle(expression.left, state);
      this.#settle(expression.right, behindLeft(expression, state));
      return;
    }
    if (expression.kind === 'comparison') this.#settleComparison(expression, state);
    for (const part of parts(expression)) this.#settle(part, state);
  }

  #settleComparison(comparison: Comparison, { environment, known }: State): void {
    const formula = formulaOf({ ...comparison, operator: '==' }, environment);
    if (formula.kind !== 'test' || formula.constant === null || known.length === 0) return;
    const formulas = known.map((one) => one.formula);
    const verdict = decide(formula, formulas);
    if (verdict === 'open' || verdict === 'always') return;
    if (isPinned(formula, formulas)) this.settled.add(comparison);
  }
}

/** What is known where the right side of `&&` or `||` is evaluated. */
function behindLeft(expression: Extract<Expression, { kind: 'logical' }>, state: State): State {
  const formula = formulaOf(expression.left, state.environment);
  const holds = expression.operator === '&&';
  const left: Known = {
    formula: holds ? formula : not(formula),
    site: 'operand',
    place: expression.left.place,
    holds,
  };
  return { ...state, known: [...state.known, left] };
}

function reasonOf(
  formula: Formula,
  verdict: 'never' | 'always',
  known: readonly Known[],
): Decision['because'] {
  if (decide(formula, []) === verdict) return undefined;
  return [...known].reverse().find((one) => decide(formula, [one.formula]) === verdict) ?? 'several';
}
