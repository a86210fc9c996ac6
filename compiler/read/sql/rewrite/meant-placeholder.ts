/** Suggests the placeholder that the author meant. */
import type { Expression, Syntax } from '../../expression/ast.js';
import { tryExpression } from '../../expression/parse/parse.js';
import { printExpression } from '../../expression/print-expression.js';
import { wholeText } from '../../source.js';
import type { Form } from '../lexer/placeholders.js';

/** The placeholder to write for an expression that is inside a string. */
export function rewriteOf(written: string, form: Form): string {
  const inner = written.trim();
  const syntax = form.kind === 'query' ? form.syntax : 'A';
  const isWord = /^[\w-]+$/.test(inner);
  for (const candidate of syntax === 'A' ? (['A', 'B'] as const) : (['B', 'A'] as const)) {
    const expression = isWord ? undefined : tryExpression(wholeText('', inner), candidate);
    if (expression === undefined) continue;
    const marker = markerOf(inner, expression, candidate, form);
    if (marker !== undefined) return marker;
  }
  return exampleOf(form, isWord ? inner : 'id');
}

/** The placeholder for an expression written in `syntax`; undefined if the operation's syntax cannot express it. */
export function markerOf(
  written: string,
  expression: Expression,
  syntax: Syntax,
  form: Form,
): string | undefined {
  if (form.kind === 'sql') return '?';
  if (syntax === form.syntax) return `:[${written.trim()}]`;
  const isInBoth = ['param', 'sent', 'body', 'caller'].includes(expression.kind);
  return isInBoth ? `:[${printExpression(expression, form.syntax)}]` : undefined;
}

/** An example of a placeholder for the parameter `name`, in the form of the SQL. */
export function exampleOf(form: Form, name: string): string {
  if (form.kind === 'sql') return '?';
  return `:[${parameterOf(form.syntax, name)}]`;
}

function parameterOf(syntax: Syntax, name: string): string {
  if (syntax === 'A') return `PARAM(${name})`;
  return /^[A-Za-z_]\w*$/.test(name) ? `param.${name}` : `param['${name}']`;
}
