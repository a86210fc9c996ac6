/** Parses conditions: operators, precedence and parentheses, which are the same in both syntaxes. */
import type { ComparisonOperator, Expression } from '../ast.js';
import { type Found, nextOperator, atOperandEnd } from '../operator.js';
import { reportExtraText } from './recovery.js';
import type { Production, Scanner } from './scanner.js';
import type { Span } from '../../source.js';

/** Disjunction := Conjunction ( `||` Conjunction )* */
export function disjunction(scanner: Scanner, operand: Production): Expression | undefined {
  return logical(scanner, '||', () => logical(scanner, '&&', () => comparison(scanner, operand)));
}

/** Logical := Term ( Operator Term )*, left-associative. With `&&`: Conjunction := Comparison ( `&&` Comparison )* */
function logical(
  scanner: Scanner,
  operator: '&&' | '||',
  term: () => Expression | undefined,
): Expression | undefined {
  scanner.skipSpace();
  const start = scanner.index;
  let left = term();
  for (;;) {
    scanner.skipSpace();
    const found = nextOperator(scanner);
    if (left === undefined || found?.operator !== operator) return left;
    if (!takeOperator(scanner, found)) return undefined;
    const right = term();
    if (right === undefined) return undefined;
    left = { kind: 'logical', operator, left, right, span: scanner.span(start) };
  }
}

/** Comparison := Unary ( ( `==` | `!=` | `<` | `<=` | `>` | `>=` ) Unary )? */
function comparison(scanner: Scanner, operand: Production): Expression | undefined {
  scanner.skipSpace();
  const start = scanner.index;
  let left = unary(scanner, operand);
  let middle: number | undefined;
  for (;;) {
    const end = scanner.index;
    scanner.skipSpace();
    const found = nextOperator(scanner);
    if (left === undefined || !isComparison(found)) {
      scanner.index = end;
      return left;
    }
    const before = scanner.index;
    const counted = sizeOf(scanner, left, end, found);
    if (
      counted === undefined ? !takeOperator(scanner, found) : !operandFollows(scanner, before, found.written)
    )
      return undefined;
    left = counted ?? left;
    scanner.skipSpace();
    const rightStart = scanner.index;
    const right = unary(scanner, operand);
    if (right === undefined) return undefined;
    if (middle !== undefined) {
      const first = scanner.slice(start, end);
      const second = scanner.slice(middle);
      const isOfTruth = right.kind === 'boolean' && (found.operator === '==' || found.operator === '!=');
      scanner.errors.add('chained-comparison', scanner.span(before, before + found.written.length), {
        first,
        second,
        holds: isOfTruth ? (found.operator === '==') === right.value : undefined,
      });
    }
    middle = rightStart;
    left = { kind: 'comparison', operator: found.operator, left, right, span: scanner.span(start) };
  }
}

/** Fixes `news.length ===` as `news.size() ==` with a single error, and moves past the operator. */
function sizeOf(scanner: Scanner, left: Expression, end: number, found: Found): Expression | undefined {
  const last = left.kind === 'value' ? left.path.at(-1) : undefined;
  const isLength = last?.kind === 'name' && /^(?:length|size|count)$/.test(last.name);
  if (left.kind !== 'value' || !isLength || !/^[!=]==$/.test(found.written)) return undefined;
  const start = end - last.name.length - 1;
  scanner.index += found.written.length;
  const written = scanner.slice(start);
  scanner.errors.add('wrong-operator', scanner.span(start), {
    written,
    operator: `.size() ${found.operator}`,
  });
  const path = left.path.slice(0, -1);
  const { name, nameSpan, span } = left;
  const of: Expression = path.length === 0 ? { kind: 'result', name, nameSpan, span } : { ...left, path };
  return { kind: 'size', of, span };
}

function isComparison(found: Found | undefined): found is Found & { readonly operator: ComparisonOperator } {
  return found !== undefined && found.operator !== '&&' && found.operator !== '||';
}

/** Unary := `!` Unary | Operand */
function unary(scanner: Scanner, operand: Production): Expression | undefined {
  scanner.skipSpace();
  const start = scanner.index;
  const word = scanner.peek(/not(?:\s+(?=[\p{L}_]+\s*[.([])|(?=\s*\())/iuy)?.trim();
  if (word === undefined && (scanner.next !== '!' || scanner.startsWith('!='))) return operand(scanner);
  const written = word ?? '!';
  scanner.index += written.length;
  if (written !== '!') return negatedByWord(scanner, start, written, operand);
  if (!operandFollows(scanner, start, written)) return undefined;
  const inner = scanner.nested(() => unary(scanner, operand));
  return inner && { kind: 'not', operand: inner, span: scanner.span(start) };
}

/** Fixes `not a == b` as `!(a == b)`: in other languages, `not` binds less tightly than a comparison. Called after the word. */
function negatedByWord(
  scanner: Scanner,
  start: number,
  written: string,
  operand: Production,
): Expression | undefined {
  const word = scanner.span(start);
  const follows = operandFollows(scanner, start, written);
  const innerStart = scanner.index;
  const inner = follows ? scanner.nested(() => comparison(scanner, operand)) : undefined;
  // The span of a parenthesized comparison begins after the parenthesis.
  const isBare = inner?.kind === 'comparison' && inner.span.start === scanner.span(innerStart).start;
  const whole = isBare
    ? { written: `!(${scanner.slice(innerStart)})`, span: scanner.span(start) }
    : undefined;
  scanner.errors.add('wrong-operator', word, { written, operator: '!', whole });
  return inner && { kind: 'not', operand: inner, span: scanner.span(start) };
}

/** Parenthesised := `(` Disjunction `)` */
export function parenthesised(scanner: Scanner, operand: Production): Expression | undefined {
  const start = scanner.index;
  scanner.index += 1;
  scanner.skipSpace();
  if (scanner.atEnd || scanner.next === ']') {
    closeParenthesis(scanner, start);
    return undefined;
  }
  if (scanner.take(')')) {
    scanner.errors.add('missing-operand', scanner.span(start), { written: '()' });
    return scanner.errorNode(start);
  }
  const inner = scanner.nested(() => disjunction(scanner, operand));
  return inner && closeParenthesis(scanner, start) ? inner : undefined;
}

/** Skips the `)` that matches the `(` at `start`. */
export function closeParenthesis(scanner: Scanner, start: number): boolean {
  scanner.skipSpace();
  if (scanner.take(')')) return true;
  if (scanner.atEnd || scanner.next === ']') {
    scanner.unclosed = true;
    scanner.errors.add('unclosed-parenthesis', scanner.span(start, start + 1), missingClose(scanner, start));
  } else reportExtraText(scanner);
  return false;
}

/** Finds the position of the missing `)` for the `(` at `start`: function arguments are values, not conditions. */
function missingClose(
  scanner: Scanner,
  start: number,
): { before: string | undefined; at: Span; isText: boolean; isSure: boolean } {
  const inside = scanner.slice(start + 1);
  const name = /[A-Z][A-Z\d_]*\s*$/.exec(scanner.slice(Math.max(0, start - 40), start))?.[0].trim() ?? '';
  const operator = name === '' ? undefined : topOperator(inside);
  const end = start + 1 + (operator ?? inside.trimEnd().length);
  const rest = operator === undefined ? undefined : inside.slice(operator).trim();
  const at = scanner.span(end, end);
  return {
    before: rest,
    at,
    isText: name === 'TEXT',
    isSure: name !== 'TEXT' && (name !== '' || !/&&|\|\|/.test(inside)),
  };
}

/** The position of the first operator outside of parentheses, including the preceding space. */
function topOperator(text: string): number | undefined {
  let depth = 0;
  for (const match of text.matchAll(/[()]|[=!<>]=|&&|\|\||[<>]/g)) {
    if (match[0] === '(') depth += 1;
    else if (match[0] === ')') depth -= 1;
    else if (depth === 0) return text.slice(0, match.index).trimEnd().length;
  }
  return undefined;
}

/** Moves past an operator: counts it, reports a wrong spelling, and checks that an operand follows. */
function takeOperator(scanner: Scanner, { written, operator }: Found): boolean {
  const start = scanner.index;
  scanner.index += written.length;
  if (written !== operator) scanner.errors.add('wrong-operator', scanner.span(start), { written, operator });
  return scanner.countOperator(start) && operandFollows(scanner, start, written);
}

/** Whether an operand may follow; otherwise reports the operator at `start`. */
function operandFollows(scanner: Scanner, start: number, written: string): boolean {
  const end = scanner.index;
  scanner.skipSpace();
  if (!atOperandEnd(scanner)) return true;
  scanner.errors.add('missing-operand', scanner.span(start, end), { written });
  return false;
}
