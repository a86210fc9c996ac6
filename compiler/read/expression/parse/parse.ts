/** Parses a string that consists of one expression. */
import type { Sink } from '../../diagnostics/finding.js';
import { Trial } from '../../diagnostics/trial.js';
import { spanBeside, type Span, type ScalarText } from '../../source.js';
import type { Expression, Syntax } from '../ast.js';
import type { Notation } from '../notation.js';
import { readWhole, reportWrongSyntax } from './read.js';
import { nodesIn } from '../visit.js';

/**
 * Parses the whole text as an expression: a condition, a leaf of a schema, `loop`, `index`.
 *
 * @returns After reported errors, the readable part, so that checks can continue; undefined if there is none.
 */
export function parseExpression(text: ScalarText, notation: Notation, report: Sink): Expression | undefined {
  if (text.value.trim() === '') {
    report.add('empty-expression', text.span);
    return undefined;
  }
  const attempt = new Trial();
  const expression = readWhole(text, notation, attempt);
  if (!attempt.hasErrors) return expression;
  return reportWrongSyntax(text, notation, report) ? undefined : readWhole(text, notation, report);
}

/** Parses the whole text as an expression without reporting errors; undefined after an error. */
export function tryExpression(text: ScalarText, syntax: Syntax): Expression | undefined {
  if (text.value.trim() === '') return undefined;
  const attempt = new Trial();
  const expression = readWhole(text, { syntax }, attempt);
  return attempt.hasErrors ? undefined : expression;
}

/** The spans of `&&` and `||`, including misspelled ones. */
export function logicalOperators(text: ScalarText, notation: Notation): Span[] {
  const spans: Span[] = [];
  const expression = readWhole(text, notation, new Trial());
  if (expression === undefined) return [];
  for (const node of nodesIn(expression)) {
    if (node.kind !== 'logical') continue;
    const { left, right, span } = node;
    spans.push(spanBeside(span, left.span.end, right.span.start));
  }
  return spans;
}

export { parseTemplate } from './placeholder.js';
