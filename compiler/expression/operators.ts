/** Conditions: operators, their precedence and parentheses, the same in both syntaxes. Decisions 4. */
import type { ComparisonOperator, Expression } from './ast.js';
import { type Found, nextOperator, atOperandEnd } from './operator.js';
import { strayText } from './stray.js';
import type { Production, Scanner } from './scanner.js';

/** Disjunction := Conjunction ( `||` Conjunction )* */
export function disjunction(scanner: Scanner, operand: Production): Expression | undefined {
  return logical(scanner, '||', () => logical(scanner, '&&', () => comparison(scanner, operand)));
}

/** Logical := Term ( Operator Term )* , leaning to the left; with `&&` a Conjunction := Comparison ( `&&` Comparison )* */
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
    left = { kind: 'logical', operator, left, right, place: scanner.place(start) };
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
    if (!takeOperator(scanner, found)) return undefined;
    scanner.skipSpace();
    const rightStart = scanner.index;
    const right = unary(scanner, operand);
    if (right === undefined) return undefined;
    if (middle !== undefined) {
      const first = scanner.slice(start, end);
      const second = scanner.slice(middle);
      scanner.mistakes.add('chained-comparison', scanner.place(before, before + found.written.length), {
        first,
        second,
      });
    }
    middle = rightStart;
    left = { kind: 'comparison', operator: found.operator, left, right, place: scanner.place(start) };
  }
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
  if (written !== '!')
    scanner.mistakes.add('wrong-operator', scanner.place(start), { written, operator: '!' });
  if (!operandFollows(scanner, start, written)) return undefined;
  const inner = scanner.nested(() => unary(scanner, operand));
  return inner && { kind: 'not', operand: inner, place: scanner.place(start) };
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
    scanner.mistakes.add('missing-operand', scanner.place(start), { written: '()' });
    return scanner.standIn(start);
  }
  const inner = scanner.nested(() => disjunction(scanner, operand));
  return inner && closeParenthesis(scanner, start) ? inner : undefined;
}

/** Goes past the `)` for the `(` at `start`. */
export function closeParenthesis(scanner: Scanner, start: number): boolean {
  scanner.skipSpace();
  if (scanner.take(')')) return true;
  if (scanner.atEnd || scanner.next === ']') {
    scanner.unclosed = true;
    scanner.mistakes.add('unclosed-parenthesis', scanner.place(start, start + 1));
  } else strayText(scanner);
  return false;
}

/** Goes past an operator: counted, its spelling told, and something after it. */
function takeOperator(scanner: Scanner, { written, operator }: Found): boolean {
  const start = scanner.index;
  scanner.index += written.length;
  if (written !== operator)
    scanner.mistakes.add('wrong-operator', scanner.place(start), { written, operator });
  return scanner.countOperator(start) && operandFollows(scanner, start, written);
}

/** Whether something that could be an operand comes next; if not, the operator at `start` is to blame. */
function operandFollows(scanner: Scanner, start: number, written: string): boolean {
  const end = scanner.index;
  scanner.skipSpace();
  if (!atOperandEnd(scanner)) return true;
  scanner.mistakes.add('missing-operand', scanner.place(start, end), { written });
  return false;
}
