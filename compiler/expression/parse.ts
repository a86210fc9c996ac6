/** Parses a text that is one expression as a whole. */
import { Report } from '../diagnostics/report.js';
import type { ScalarText } from '../source.js';
import type { Expression, Syntax } from './ast.js';
import { readWhole, tellWrongSyntax } from './read.js';

/**
 * The whole text as one expression: a condition, a leaf of a schema, `loop`, `index`.
 *
 * @returns Undefined after at least one error was reported.
 */
export function parseExpression(text: ScalarText, syntax: Syntax, report: Report): Expression | undefined {
  if (text.value.trim() === '') {
    report.add('empty-expression', text.place);
    return undefined;
  }
  const attempt = new Report();
  const expression = readWhole(text, syntax, attempt);
  if (!attempt.hasErrors) return expression;
  if (!tellWrongSyntax(text, syntax, report)) readWhole(text, syntax, report);
  return undefined;
}

export { parseTemplate } from './placeholder.js';
