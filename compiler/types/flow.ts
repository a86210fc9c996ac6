/** Follows an operation from its first fulfillment to its responses, and decides each condition by what is known where it stands. */
import type {
  DataFulfillment,
  Exception,
  Fulfillment,
  Operation,
  Request,
  Response,
  Schema,
} from '../config/config-model.js';
import { allFulfillments } from '../config/walk.js';
import type { Comparison, Expression, Template } from '../expression/ast.js';
import { parts } from '../expression/visit.js';
import type { Place } from '../source.js';
import type { SqlStatement } from '../sql/statement.js';
import { decide, isPinned } from './decide.js';
import { fieldsOf, arrayOf, nullValue, objectOf, unknownValue } from './known-types.js';
import { Environment, type Readable, type RequestTypes } from './visible-values.js';
import { formulaOf, not, type Formula } from './formula.js';
import { elementOf, typeAt, typeOf } from './infer.js';
import { keyOf } from './subject.js';
import { allOf, orNull, withOrigin } from './join-types.js';
import type { ValueType } from './value-type.js';

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

/** An expression, and what can be read where it stands. */
export interface Evaluation {
  readonly expression: Expression;
  readonly environment: Environment;
}

/** What an operation needs to know of others and of databases. */
export interface Surroundings {
  request(operation: Operation): RequestTypes;
  /** The rows that a statement gives. */
  rows(statement: SqlStatement, fulfillment: DataFulfillment): ValueType;
  /** What a reference call of the operation of that name gives. */
  answer(name: string): ValueType;
}

export class Flow {
  readonly decisions: readonly Decision[];
  /** All expressions that calls can reach, each whole, in the order in which they are evaluated. */
  readonly evaluations: readonly Evaluation[];
  /** What a reference call of the operation gives. */
  readonly answer: ValueType;
  /** What each part of a schema notation gives. */
  readonly built: ReadonlyMap<Schema, ValueType>;
  /** The rows that each statement gives. */
  readonly rows: ReadonlyMap<SqlStatement, ValueType>;
  /**
   * Comparisons with a constant of a value that TypeScript knows to be another one: a handler makes them by a helper, because
   * TypeScript refuses its own operator there.
   */
  readonly settled: ReadonlySet<Expression>;

  constructor(operation: Operation, surroundings: Surroundings) {
    const walk = new Walk(surroundings);
    this.answer = walk.operation(operation);
    this.decisions = walk.decisions;
    this.settled = walk.settled;
    this.evaluations = walk.evaluations;
    this.built = walk.built;
    this.rows = walk.rows;
  }
}

/** What is known at a place. */
interface State {
  readonly environment: Environment;
  readonly known: readonly Known[];
}

class Walk {
  readonly decisions: Decision[] = [];
  readonly settled = new Set<Expression>();
  readonly evaluations: Evaluation[] = [];
  readonly built = new Map<Schema, ValueType>();
  readonly rows = new Map<SqlStatement, ValueType>();
  #count = 0;
  /** Names of several fulfillments: nobody can tell whose result is meant. */
  readonly #twice = new Set<string>();

  constructor(private readonly surroundings: Surroundings) {}

  /** `outer`: the names around. Different loops, neither inside the other, may have the same name. */
  #collectTwice(fulfillments: readonly Fulfillment[], outer: ReadonlySet<string>): void {
    const seen = new Set(outer);
    for (const { name } of fulfillments) {
      if (seen.has(name.value)) this.#twice.add(name.value);
      seen.add(name.value);
    }
    for (const one of fulfillments) if (one.type === 'LOOP') this.#collectTwice(one.fulfillments, seen);
  }

  /** Gives the type of its answer. */
  operation(operation: Operation): ValueType {
    const { fulfillments, responses, mappings } = operation;
    this.#collectTwice(fulfillments, new Set());
    const environment = Environment.of(this.surroundings.request(operation));
    const end = this.#fulfillments(fulfillments, { environment, known: [] });
    const answers: ValueType[] = [];
    const answer = ({ schema }: Response, at: State): void => {
      const type = this.#schema(schema, at);
      // Without a schema the body may be built of mappings.
      answers.push(schema === undefined && mappings.length > 0 ? unknownValue : (type ?? nullValue));
    };
    let state = end;
    for (const response of responses.filter(({ default: isDefault }) => !isDefault)) {
      if (response.if === undefined) continue;
      const { held, failed } = this.#condition(response.if, state, 'response');
      answer(response, held);
      state = failed;
    }
    for (const response of responses.filter(({ default: isDefault }) => isDefault)) answer(response, state);
    for (const mapping of mappings) for (const { value } of mapping.fields) this.#value(value, end);
    for (const { fulfillment } of allFulfillments(fulfillments))
      if ('join' in fulfillment) for (const { value } of fulfillment.join) this.#value(value, end);
    return allOf(answers);
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
      environment: before.environment.with(
        name,
        this.#readable(name, this.#twice.has(name) ? unknownValue : type),
      ),
    });
    switch (fulfillment.type) {
      case 'READ':
      case 'UPDATE':
        return bind(this.#instructions(fulfillment, before));
      case 'REFERENCE':
        for (const { value } of fulfillment.parameters) this.#schema(value, before);
        return bind(this.#answerOf(fulfillment.operationName.value));
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

  /** The fields that answers have are told of the operation, wherever they come from inside it. */
  #answerOf(operation: string): ValueType {
    return withOrigin(this.surroundings.answer(operation), { kind: 'answer', operation });
  }

  /** Gives the type of the result. */
  #instructions(fulfillment: DataFulfillment, before: State): ValueType {
    const { instructions } = fulfillment;
    let state = before;
    let isAlways = false;
    const results: ValueType[] = [];
    for (const { if: condition, action, expressions } of instructions) {
      const chosen = condition === undefined ? undefined : this.#condition(condition, state, 'instruction');
      const held = chosen?.held ?? state;
      for (const expression of expressions) this.#value(expression, held);
      if (action !== undefined && 'kind' in action) this.#request(action, held);
      results.push(action === undefined || 'kind' in action ? unknownValue : this.#rows(action, fulfillment));
      isAlways ||= condition === undefined;
      // Those behind one without a condition are never looked at.
      if (chosen === undefined) break;
      state = chosen.failed;
    }
    if (instructions.some(({ action }) => action === undefined || 'kind' in action)) return unknownValue;
    const result = allOf(results);
    return isAlways ? result : orNull(result);
  }

  #rows(statement: SqlStatement, fulfillment: DataFulfillment): ValueType {
    const type = this.surroundings.rows(statement, fulfillment);
    this.rows.set(statement, type);
    return type;
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

  /** Gives the type of what is built. */
  #schema(schema: Schema | undefined, state: State): ValueType | undefined {
    if (schema === undefined) return undefined;
    const type = this.#buildIn(schema, state);
    this.built.set(schema, type);
    return type;
  }

  #buildIn(schema: Schema, state: State): ValueType {
    switch (schema.kind) {
      case 'leaf':
        this.#value(schema.value, state);
        return this.#typeOfLeaf(schema.value, state);
      case 'object': {
        const types = schema.fields.map(
          ({ key, value }) => [key, this.#schema(value, state) ?? unknownValue] as const,
        );
        return objectOf(fieldsOf(new Map(types), { kind: 'built' }, true));
      }
      case 'array': {
        this.#value(schema.list, state);
        const element = this.#readable('@', elementOf(typeOf(schema.list, state.environment)));
        const environment = state.environment.withElement(element);
        return arrayOf(this.#schema(schema.item, { ...state, environment }) ?? unknownValue);
      }
    }
  }

  /** Without the null of a row that is missing where it is known to be there, and nothing else where it is known not to be. */
  #typeOfLeaf(value: Expression, { environment, known }: State): ValueType {
    if (value.kind !== 'value' || value.path[0]?.kind !== 'name') return typeOf(value, environment);
    const { name, path, place } = value;
    const { element, isRows } = environment.result(name).type;
    if (isRows !== true || element === undefined || known.length === 0) return typeOf(value, environment);
    const size: Expression = { kind: 'size', of: { ...value, path: [] }, place };
    const none: Comparison = {
      ...{ kind: 'comparison', operator: '==', left: size, place },
      right: { kind: 'number', value: 0, place },
    };
    const verdict = decide(
      formulaOf(none, environment),
      known.map(({ formula }) => formula),
    );
    if (verdict === 'always') return nullValue;
    return verdict === 'never' ? typeAt(element, path) : typeOf(value, environment);
  }

  /** An expression that gives a value: what it compares is looked at, and nothing is decided. */
  #value(expression: Expression | undefined, state: State): void {
    if (expression === undefined) return;
    this.evaluations.push({ expression, environment: state.environment });
    this.#settle(expression, state);
  }

  /** Decides a condition, and gives what is known where it holds and where it does not. */
  #condition(condition: Expression, state: State, site: Site): { held: State; failed: State } {
    this.evaluations.push({ expression: condition, environment: state.environment });
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
