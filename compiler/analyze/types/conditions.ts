/** Decides conditions, that is, finds those with a constant result given the facts known at their position. */
import type { Comparison, Expression } from '../../read/expression/ast.js';
import { parts } from '../../read/expression/visit.js';
import type { Span } from '../../read/source.js';
import { decide as verdictOf, isPinned, keysOfConstants } from './decide.js';
import { formulaOf, not, type Formula } from './formula.js';
import { typeOf } from './infer.js';
import { isOfTimes } from './meaning.js';
import { keyOf } from './subject.js';
import type { Environment } from './visible-values.js';

/** The place of a condition. `operand` is part of an undecided condition; `value` is an expression whose result is used as a value. */
export type Site = 'if' | 'instruction' | 'exception' | 'loopbreak' | 'response' | 'operand' | 'value';

/** A condition with the same result in every call. */
export interface Decision {
  readonly verdict: 'never' | 'always';
  readonly condition: Expression;
  readonly site: Site;
  readonly environment: Environment;
  /** The earlier condition that decides the result, or `several` together; undefined if the condition decides itself. */
  readonly because: Known | 'several' | undefined;
}

/** A condition whose result is known on every path to the current position. */
export interface Known {
  readonly formula: Formula;
  readonly site: Site;
  readonly span: Span;
  /** Whether the condition is true. */
  readonly holds: boolean;
}

/** Facts known at a position. */
export interface KnownFacts {
  readonly environment: Environment;
  readonly known: readonly Known[];
}

export class Conditions {
  readonly decisions: Decision[] = [];
  /** Comparisons that TypeScript would reject: see `Flow.settled`. */
  readonly settled = new Set<Expression>();
  /** See `Flow.times`. */
  readonly times = new Set<Expression>();

  /** Decides a condition as a whole, or else its operands. `mayAlwaysHold`: a condition that is always true is useful in this place. */
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
      // Only one of several instructions or responses is chosen, so a later one may repeat the negation of an earlier condition.
      const isAlternative = because !== undefined && (site === 'instruction' || site === 'response');
      if (verdict === 'never' || !(isAlternative || mayAlwaysHold))
        this.decisions.push({ verdict, condition, site, environment, because });
      return;
    }
    if (verdict === 'open') this.#decideOperands(condition, { environment, known });
  }

  /**
   * Decides an expression that is used as a boolean value, without known facts, because it may repeat what its place requires. If an
   * operand of `||` is not a condition or cannot be a boolean, the whole expression is the error: `||` was meant to provide a default
   * value.
   */
  decideValue(expression: Expression, environment: Environment): void {
    if (expression.kind !== 'logical' && expression.kind !== 'comparison' && expression.kind !== 'not')
      return;
    const before = this.decisions.length;
    this.decide(expression, { environment, known: [] }, 'value');
    this.#replaceByDefault(expression, environment, before);
  }

  /** Decides `||` as an argument of a function or comparison: reports only a `||` that was meant to provide a default value. */
  #decideArgument(expression: Expression, environment: Environment): void {
    if (expression.kind !== 'logical') return;
    const before = this.decisions.length;
    this.decide(expression, { environment, known: [] }, 'value');
    if (!this.#replaceByDefault(expression, environment, before)) this.decisions.splice(before);
  }

  /** Whether `||` is meant to provide a default. Then this replaces all decisions from `before` on. */
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

  /** Decides the operands of an undecided condition: reports operands that are never true or that repeat others. */
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
    // Alternatives may overlap: `a`, followed by `a || b`.
    const mayOverlap =
      because === 'several' ||
      (because?.holds === false && ['instruction', 'response', 'operand'].includes(because.site));
    if (!mayOverlap) this.decisions.push({ verdict, condition, site: 'operand', environment, because });
  }

  /** Finds comparisons that TypeScript would reject, and comparisons of times. */
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

  /** Whether both sides have been compared with constants before: TypeScript then narrows both types and rejects the comparison. */
  #areBothConstants({ left, right }: Comparison, { environment, known }: KnownFacts): boolean {
    const compared = new Set(known.flatMap(({ formula }) => keysOfConstants(formula)));
    return compared.has(keyOf(left, environment)) && compared.has(keyOf(right, environment));
  }
}

/** Whether the decision is about a `||` that was meant to provide a default. */
export function isDefault({ condition, site, verdict }: Decision): boolean {
  return site === 'value' && verdict === 'never' && isOr(condition) && joinsValue(condition);
}

function isOr(expression: Expression): expression is Extract<Expression, { kind: 'logical' }> {
  return expression.kind === 'logical' && expression.operator === '||';
}

/** Whether an operand of `||` is a plain value; a comparison that is never true is not meant as a value with a default. */
function joinsValue(expression: Expression): boolean {
  if (isOr(expression)) return joinsValue(expression.left) || joinsValue(expression.right);
  return isPlain(expression);
}

/** Whether both sides of `||` are values that cannot be booleans. */
function isOfValues(expression: Expression, environment: Environment): boolean {
  if (isOr(expression))
    return isOfValues(expression.left, environment) && isOfValues(expression.right, environment);
  return isPlain(expression) && !typeOf(expression, environment).kinds.has('boolean');
}

/** Whether the expression is a plain value, not a condition or a boolean constant. */
function isPlain({ kind }: Expression): boolean {
  return kind !== 'logical' && kind !== 'comparison' && kind !== 'not' && kind !== 'boolean';
}

/** The facts if the condition is true, and the facts if it is false. */
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

/** The facts when the right side of `&&` or `||` is evaluated. */
function behindLeft(expression: Extract<Expression, { kind: 'logical' }>, state: KnownFacts): KnownFacts {
  const { held, failed } = bothWays(state, expression.left, 'operand');
  return expression.operator === '&&' ? held : failed;
}

/** The innermost operand that decides the whole condition, and therefore must be corrected. */
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
