/** Parses Syntax A: upper-case functions, as in `SIZE(VALUE(news, $)) > INTEGER(0)`. */
import { Arguments } from './arguments.js';
import type { Expression } from '../ast.js';
import { callOf, functions } from '../functions.js';
import { skipArgument } from './name-argument.js';
import { disjunction, parenthesised } from './operators.js';
import type { Scanner } from './scanner.js';
import { recoverInA } from './recovery-a.js';

/** Expression := Disjunction over operands of Syntax A */
export function expressionA(scanner: Scanner): Expression | undefined {
  return disjunction(scanner, operandA);
}

/** Operand := `(` Expression `)` | Function */
export function operandA(scanner: Scanner): Expression | undefined {
  if (scanner.next === '(') return parenthesised(scanner, operandA);
  const start = scanner.index;
  const name = scanner.match(/[A-Za-z_]\w*(?=\s*\()/y);
  if (name === undefined) return recoverInA(scanner);
  scanner.skipSpace();
  const open = scanner.index;
  scanner.index += 1;
  return functionCall(scanner, name, start, open);
}

/** Function := FunctionName `(` Arguments `)` */
function functionCall(scanner: Scanner, name: string, start: number, open: number): Expression | undefined {
  const rule = functions.get(name);
  if (rule === undefined) return unknownFunction(scanner, name, start);
  return callOf(rule, new Arguments(scanner, rule, open, expressionA), start);
}

/** Reports an unknown function with the most similar name, and skips its arguments. */
function unknownFunction(scanner: Scanner, name: string, start: number): Expression | undefined {
  const inside = scanner.index;
  do skipArgument(scanner);
  while (scanner.take(','));
  const args = scanner.slice(inside).trim();
  const isClosed = scanner.take(')');
  const isNegated = /!\s*$/.test(scanner.slice(Math.max(0, start - 8), start));
  scanner.errors.add('unknown-function', scanner.span(start, start + name.length), {
    ...{ name, known: [...functions.keys()], args },
    call: isClosed && !isNegated ? scanner.span(start) : undefined,
  });
  return isClosed ? scanner.errorNode(start) : undefined;
}
