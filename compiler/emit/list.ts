/** What a LOOP or a `list` goes through, as an array (decisions 3.7, 7.3, 7.7). */
import type { Expression } from '../expression/ast.js';
import { contains } from '../expression/visit.js';
import { argument, operand, type Code } from './code.js';
import { emitExpression, type Scope } from './expression.js';
import { stringLiteral } from './literal.js';

/** The array and what its elements are; `name` is what it belongs to, for the log. */
export function emitElements(
  list: Expression,
  scope: Scope,
  name: string,
): { text: string; type: 'row' | 'json' | 'number' } {
  if (list.kind === 'list') {
    const count = emitExpression(list.count, scope);
    const place = count.constant === undefined ? `, ${placeOf(list, name)}` : '';
    return { text: `${scope.module.runtime('list')}(${argument(count)}${place})`, type: 'number' };
  }
  const code = emitExpression(list, scope);
  if (code.type === 'rows') return { text: rows(code), type: 'row' };
  const text = `${scope.module.runtime('elements')}(${argument(code)}, ${placeOf(list, name)})`;
  return { text, type: 'json' };
}

function rows(code: Code): string {
  return code.nullable === true ? `(${code.text} ?? [])` : operand(code);
}

function placeOf(list: Expression, name: string): string {
  const fields = [`name: ${stringLiteral(name)}`, ...(readsRequest(list) ? ['fromRequest: true'] : [])];
  return `{ ${fields.join(', ')} }`;
}

function readsRequest(expression: Expression): boolean {
  return contains(expression, 'param') || contains(expression, 'body');
}
