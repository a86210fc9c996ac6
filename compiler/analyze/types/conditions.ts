/** Decides conditions by the facts that are known at their position. */
import type { Comparison, Expression } from '../../read/expression/ast.js';
import { parts } from '../../read/expression/visit.js';
import type { Span } from '../../read/source.js';
import { decide as verdictOf, isPinned, keysOfConstants } from './decide.js';
import { formulaOf, not, type Formula } from './formula.js';
import { typeOf } from './infer.js';
import { isOfTimes } from './meaning.js';
import { keyOf } from './subject.js';
import type { Environment } from './visible-values.js';

/** The owner of a condition; `operand` is a part of a condition that as a whole is open, `value` one whose result is a value. */
export type Site = 'if' | 'instruction' | 'exception' | 'loopbreak' | 'response' | 'operand' | 'value';

/** A condition that is the same for every call. */
export interface Decision {
  readonly verdict: 'never' | 'always';
  readonly condition: Expression;
  readonly site: Site;
  readonly environment: Environment;
  /** The earlier condition that decides it, or several of them together; undefined where it decides itself. */
  readonly because: Known | 'several' | undefined;
}

/** A condition that was true or false on every way to the current position. */
export interface Known {
  readonly formula: Formula;
  readonly site: Site;
  readonly span: Span;
  /** Whether the condition holds. */
  readonly holds: boolean;
}

/** The facts that are known at a position. */
export interface KnownFacts {
  readonly environment: Environment;
  readonly known: readonly Known[];
}

export class Conditions {
  readonly decisions: Decision[] = [];
  /** Comparisons that TypeScript would refuse: `Flow.settled`. */
  readonly settled = new Set<Expression>();
  /** `Flow.times`. */
  readonly times = new Set<Expression>();

  /** Decides a condition as a whole, or else its operands. `mayAlwaysHold`: one that always holds has a purpose there. */
  decide(condition: Expression, { environment, known }: KnownFacts, site: Site, mayAlwaysHold = false): void {
    const formula = formulaOf(condition, environment);
    const verdict = verdictOf(
      formula,
      known.map((one) => one.formula),
    );
    const part = verdict === 'always' && mayAlwaysHold ? undefined : partOf(condition, verdict, environment);
    if (part !== undefined) {
      this.decisions.push({
        ...{ verdict: part.verdict, condition: part.condition, site: 'operand', environment },
        because: undefined,
      });
      return;
    }
    if (verdict === 'never' || verdict === 'always') {
      const because = reasonOf(formula, verdict, known);
      // Of two instructions, or responses, only one is chosen: each may have this diagnostic.
      const isAlternative = because !== undefined && (site === 'instruction' || site === 'response');
      if (verdict === 'never' || !(isAlternative || mayAlwaysHold))
        this.decisions.push({ verdict, condition, site, environment, because });
      return;
    }
    if (verdict === 'open') this.#decideOperands(condition, { environment, known });
  }

  /**
   * Decides an expression whose value is true or false without its context, because repeating a requirement of its place is allowed. If an
   * operand of `||` is not a condition, or cannot be true or false, the whole expression is the mistake: a default value was intended.
   */
  decideValue(expression: Expression, environment: Environment): void {
    if (expression.kind !== 'logical' && expression.kind !== 'comparison' && expression.kind !== 'not')
      return;
    const before = this.decisions.length;
    this.decide(expression, { environment, known: [] }, 'value');
    this.#replaceByDefault(expression, environment, before);
  }

  /** Decides `||` where a function or a comparison wants a value: only whether a default value was meant. */
  #decideArgument(expression: Expression, environment: Environment): void {
    if (expression.kind !== 'logical') return;
    const before = this.decisions.length;
    this.decide(expression, { environment, known: [] }, 'value');
    if (!this.#replaceByDefault(expression, environment, before)) this.decisions.splice(before);
  }

  /** Whether `||` is meant as a default: then that is the only decision from `before` on. */
  #replaceByDefault(expression: Expression, environment: Environment, before: number): boolean {
    if (expression.kind !== 'logical' || expression.operator !== '||') return false;
    const isMeant =
      isOfValues(expression, environment) ||
      this.decisions
        .slice(before)
        .some(
          ({ condition, verdict }) =>
            verdict === 'never' && (condition === expression ? joinsValue(condition) : isPlain(condition)),
        );
    if (!isMeant) return false;
    const whole = { verdict: 'never', condition: expression, site: 'value', because: undefined } as const;
    this.decisions.splice(before, this.decisions.length, { ...whole, environment });
    return true;
  }

  /** The operands of an undecided condition: one that is never true, or that repeats another one. */
  #decideOperands(condition: Expression, state: KnownFacts): void {
    if (condition.kind === 'not') this.#decideOperands(condition.operand, state);
    if (condition.kind !== 'logical') return;
    const { left, right, operator } = condition;
    this.#decideOperand(left, state);
    if (keyOf(left, state.environment) === keyOf(right, state.environment)) {
      const because = behindLeft(condition, state).known.at(-1);
      const verdict = operator === '&&' ? 'always' : 'never';
      this.decisions.push({
        ...{ verdict, condition: right, site: 'operand', because },
        environment: state.environment,
      });
    } else this.#decideOperand(right, behindLeft(condition, state));
  }

  #decideOperand(condition: Expression, state: KnownFacts): void {
    const { environment, known } = state;
    const formula = formulaOf(condition, environment);
    const verdict = verdictOf(
      formula,
      known.map((one) => one.formula),
    );
    if (verdict === 'open') this.#decideOperands(condition, state);
    if (verdict !== 'never') return;
    const because = reasonOf(formula, verdict, known);
    // Alternatives may overlap: `a`, and then `a || b`.
    const mayOverlap =
      because === 'several' ||
      (because?.holds === false && ['instruction', 'response', 'operand'].includes(because.site));
    if (!mayOverlap) this.decisions.push({ verdict, condition, site: 'operand', environment, because });
  }

  /** Finds the comparisons that TypeScript would refuse, and those of times. */
  settle(expression: Expression, state: KnownFacts): void {
    if (expression.kind === 'logical') {
      this.settle(expression.left, state);
      this.settle(expression.right, behindLeft(expression, state));
      return;
    }
    if (expression.kind === 'comparison') {
      const { left, right } = expression;
      if (isOfTimes(typeOf(left, state.environment), typeOf(right, state.environment)))
        this.times.add(expression);
      this.#settleComparison(expression, state);
    }
    for (const part of parts(expression)) {
      if (expression.kind !== 'not') this.#decideArgument(part, state.environment);
      this.settle(part, state);
    }
  }

  #settleComparison(comparison: Comparison, { environment, known }: KnownFacts): void {
    const formula = formulaOf({ ...comparison, operator: '==' }, environment);
    if (this.#areBothConstants(comparison, { environment, known })) this.settled.add(comparison);
    if (formula.kind !== 'test' || formula.constant === null || known.length === 0) return;
    const formulas = known.map((one) => one.formula);
    const verdict = verdictOf(formula, formulas);
    if (verdict === 'open' || verdict === 'always') return;
    if (isPinned(formula, formulas)) this.settled.add(comparison);
  }

  /** Whether both sides were compared with constants before: TypeScript knows them, and would compare the two. */
  #areBothConstants({ left, right }: Comparison, { environment, known }: KnownFacts): boolean {
    const compared = new Set(known.flatMap(({ formula }) => keysOfConstants(formula)));
    return compared.has(keyOf(left, environment)) && compared.has(keyOf(right, environment));
  }
}

/** Whether the decision is that `||` joins a value and its default. */
export function isDefault({ condition, site, verdict }: Decision): boolean {
  return site === 'value' && verdict === 'never' && isOr(condition) && joinsValue(condition);
}

function isOr(expression: Expression): expression is Extract<Expression, { kind: 'logical' }> {
  return expression.kind === 'logical' && expression.operator === '||';
}

/** Whether an operand of `||` is a value: for comparisons that are never true, no default can be intended. */
function joinsValue(expression: Expression): boolean {
  if (isOr(expression)) return joinsValue(expression.left) || joinsValue(expression.right);
  return isPlain(expression);
}

/** Whether both sides of `||` are values that can be neither true nor false. */
function isOfValues(expression: Expression, environment: Environment): boolean {
  if (isOr(expression))
    return isOfValues(expression.left, environment) && isOfValues(expression.right, environment);
  return isPlain(expression) && !typeOf(expression, environment).kinds.has('boolean');
}

/** Whether it is a value of its own: nothing that is only true or false, as `false` is. */
function isPlain({ kind }: Expression): boolean {
  return kind !== 'logical' && kind !== 'comparison' && kind !== 'not' && kind !== 'boolean';
}

/** Facts where a condition is true, and where it is false. */
export function bothWays(
  state: KnownFacts,
  condition: Expression,
  site: Site,
): { readonly held: KnownFacts; readonly failed: KnownFacts } {
  const formula = formulaOf(condition, state.environment);
  const known = (holds: boolean): KnownFacts => ({
    ...state,
    known: [...state.known, { formula: holds ? formula : not(formula), site, span: condition.span, holds }],
  });
  return { held: known(true), failed: known(false) };
}

/** Facts where the right side of `&&` or `||` is evaluated. */
function behindLeft(expression: Extract<Expression, { kind: 'logical' }>, state: KnownFacts): KnownFacts {
  const { held, failed } = bothWays(state, expression.left, 'operand');
  return expression.operator === '&&' ? held : failed;
}

/** The innermost operand that decides the whole condition, and therefore has to be corrected. */
function partOf(
  condition: Expression,
  verdict: ReturnType<typeof verdictOf>,
  environment: Environment,
): Pick<Decision, 'condition' | 'verdict'> | undefined {
  if (condition.kind === 'not') {
    const inner = verdict === 'never' ? 'always' : 'never';
    return condition.operand.kind === 'logical' ? partOf(condition.operand, inner, environment) : undefined;
  }
  if (condition.kind !== 'logical' || verdict !== (condition.operator === '&&' ? 'never' : 'always'))
    return undefined;
  for (const side of [condition.left, condition.right]) {
    if (verdictOf(formulaOf(side, environment), []) !== verdict) continue;
    return partOf(side, verdict, environment) ?? { condition: side, verdict };
  }
  return undefined;
}

function reasonOf(
  formula: Formula,
  verdict: 'never' | 'always',
  known: readonly Known[],
): Decision['because'] {
  if (verdictOf(formula, []) === verdict) return undefined;
  return [...known].reverse().find((one) => verdictOf(formula, [one.formula]) === verdict) ?? 'several';
}
