/** Expressions over known values: every function and operator nested in every other. */
import type { Random } from '../../helpers/random.js';
import type { Expr } from '../language.js';

/** A value read by an expression in its written form, and the fulfillments that it needs. */
export interface Leaf {
  readonly expr: Extract<Expr, { is: 'written' | 'value' }>;
  readonly needs: readonly string[];
}

/** A value with this written form. */
export function leaf(text: string, ...needs: readonly string[]): Leaf {
  return { expr: { is: 'written', text }, needs };
}

/** A result in Syntax B, for which comparison with null is special. */
export function result(name: string): Leaf {
  return { expr: { is: 'value', name, path: [] }, needs: [name] };
}

/** The written form of a leaf, which identifies its known value. */
export function keyOf({ expr }: Leaf): string {
  return expr.is === 'written' ? expr.text : expr.name;
}

/** Returns an operand for the remaining positions of a form. */
type Fill = () => Expr;

/** An expression form with a hole for another expression; undefined if the syntax does not allow the inner expression. */
type Form = (inner: Expr, fill: Fill) => Expr | undefined;

const constant = (value: string | number | boolean | null): Expr => ({ is: 'constant', value });
const compare =
  (operator: '==' | '!=' | '<' | '<=' | '>' | '>=', other: (fill: Fill) => Expr, isTurned = false): Form =>
  (inner, fill) =>
    isTurned
      ? { is: 'compare', operator, left: other(fill), right: inner }
      : { is: 'compare', operator, left: inner, right: other(fill) };

const ofBoth: readonly Form[] = [
  (inner) => ({ is: 'concat', parts: [inner] }),
  (inner, fill) => ({ is: 'concat', parts: [fill(), constant('-'), inner] }),
  (inner) => ({ is: 'coalesce', parts: [inner] }),
  (inner, fill) => ({ is: 'coalesce', parts: [inner, fill()] }),
  (inner, fill) => ({ is: 'coalesce', parts: [fill(), inner] }),
  (inner, fill) => ({ is: 'coalesce', parts: [fill(), fill(), inner] }),
  (inner) => ({ is: 'coalesce', parts: [inner, constant('none')] }),
  (inner) => ({ is: 'coalesce', parts: [constant(null), inner] }),
  (inner) => ({ is: 'not', of: inner }),
  compare('==', () => constant(null)),
  compare('!=', () => constant(null), true),
  compare('==', () => constant('b')),
  compare('!=', () => constant('b'), true),
  compare('==', () => constant('1')),
  compare('==', () => constant(1)),
  compare('!=', () => constant(true)),
  compare('==', () => constant(false), true),
  compare('==', (fill) => fill()),
  compare('!=', (fill) => fill(), true),
  compare('<', () => constant(2)),
  compare('<=', () => constant('b'), true),
  compare('>', (fill) => fill()),
  compare('>=', (fill) => fill(), true),
  (inner, fill) => ({ is: 'and', left: inner, right: fill() }),
  (inner, fill) => ({ is: 'and', left: fill(), right: inner }),
  (inner, fill) => ({ is: 'or', left: inner, right: fill() }),
  (inner, fill) => ({ is: 'or', left: fill(), right: inner }),
  (inner) => ({ is: 'if-match', of: inner }),
  (inner) => ({ is: 'length', of: inner }),
  (inner) => ({ is: 'lower', of: inner }),
  (inner) => ({ is: 'sha256', of: inner }),
];

const ofA: readonly Form[] = [
  ...ofBoth,
  (inner) => ({ is: 'size', of: inner }),
  (inner) => ({ is: 'size', of: { is: 'list', count: { is: 'size', of: inner } } }),
  (inner) => ({ is: 'stored', name: 'item', index: inner, path: [] }),
  (inner) => ({ is: 'stored', name: 'item', index: inner, path: ['note'] }),
];

const ofB: readonly Form[] = [
  ...ofBoth,
  // `.size()` is only allowed directly after a name.
  (inner) => (isName(inner) ? { is: 'size', of: inner } : undefined),
];

function isName(expr: Expr): boolean {
  return expr.is === 'value' || (expr.is === 'written' && /^[\w.[\]*-]+$/.test(expr.text));
}

/** The number of forms of a syntax. */
export function formsOf(syntax: 'A' | 'B'): number {
  return (syntax === 'A' ? ofA : ofB).length;
}

/** Nests the forms, outermost first, over random leaves; undefined if the syntax does not allow it. */
export function expressionOf(
  forms: readonly number[],
  syntax: 'A' | 'B',
  leaves: readonly Leaf[],
  random: Random,
): Expr | undefined {
  const all = syntax === 'A' ? ofA : ofB;
  const fill = (): Expr => random.pick(leaves).expr;
  return forms.reduceRight<Expr | undefined>(
    (inner, form) => (inner === undefined ? undefined : all[form]?.(inner, fill)),
    fill(),
  );
}
