/** Parses placeholders `:[…]`, and the strings that contain them: URLs, headers, messages. */
import type { Sink } from '../../diagnostics/finding.js';
import { Trial } from '../../diagnostics/trial.js';
import type { ScalarText } from '../../source.js';
import type { Expression, Syntax, Template } from '../ast.js';
import type { Notation } from '../notation.js';
import { functions } from '../functions.js';
import { readInPlaceholder, reportWrongSyntax } from './read.js';
import { reportExtraText } from './recovery.js';

/**
 * Placeholder := `:[` Expression `]`
 *
 * @param start The index after `:[`.
 * @returns The expression, or undefined after at least one reported error; `end` is the index after the `]`, or the index at which to
 * continue after an error.
 */
export function parsePlaceholder(
  text: ScalarText,
  start: number,
  notation: Notation,
  report: Sink,
): { expression: Expression | undefined; end: number } {
  const { scanner, expression } = readInPlaceholder(text, start, notation, new Trial());
  if (expression !== undefined && !scanner.failed && scanner.take(']')) {
    return { expression, end: scanner.index };
  }
  const { inside, end } = recover(text.value, scanner.index);
  const whole = stretch(text, start, inside);
  if (scanner.unclosed) readInPlaceholder(text, start, notation, report);
  else if (inside === end) report.add('unclosed-placeholder', text.spanOf(start - 2, start));
  else if (whole.value.trim() === '') report.add('empty-placeholder', text.spanOf(start - 2, end));
  else if (!reportWrongSyntax(whole, notation, report)) reportAgain(text, start, notation, report);
  return { expression: undefined, end };
}

/** Parses a placeholder without reporting. `isClean` is true if there are neither errors nor warnings. */
export function tryPlaceholder(
  text: ScalarText,
  start: number,
  notation: Notation,
): { expression: Expression | undefined; end: number; isClean: boolean } {
  const trial = new Trial();
  return { ...parsePlaceholder(text, start, notation, trial), isClean: trial.isClean };
}

/** Parses an invalid expression again to report its errors to the user. */
function reportAgain(text: ScalarText, start: number, notation: Notation, report: Sink): void {
  const { scanner, expression } = readInPlaceholder(text, start, notation, report);
  if (expression !== undefined && scanner.next !== ']') reportExtraText(scanner);
}

/**
 * The end of a placeholder with an error before `index`: the next unmatched `]`, the next `:[`, or the end of the text. `inside` is the
 * index of that `]`, or the same as `end` if there is none.
 */
function recover(text: string, index: number): { inside: number; end: number } {
  const brackets = /:\[|[[\]]/g;
  brackets.lastIndex = index;
  let open = 0;
  for (let found = brackets.exec(text); found !== null; found = brackets.exec(text)) {
    if (found[0] === ':[') return { inside: found.index, end: found.index };
    if (found[0] === ']' && open === 0) return { inside: found.index, end: found.index + 1 };
    open += found[0] === '[' ? 1 : -1;
  }
  return { inside: text.length, end: text.length };
}

/** A range of a text as a separate text. */
function stretch(text: ScalarText, start: number, end: number): ScalarText {
  return {
    value: text.value.slice(start, end),
    span: text.spanOf(start, end),
    spanOf: (from, to) => text.spanOf(start + from, start + to),
  };
}

/**
 * Template := ( characters | Placeholder )*
 *
 * A URL, header or message.
 *
 * @returns After reported errors, the readable parts.
 */
export function parseTemplate(text: ScalarText, notation: Notation, report: Sink): Template {
  const template: (string | Expression)[] = [];
  let index = 0;
  while (index < text.value.length) {
    const opening = text.value.indexOf(':[', index);
    const constantEnd = opening === -1 ? text.value.length : opening;
    if (constantEnd > index) template.push(text.value.slice(index, constantEnd));
    if (opening === -1) break;
    const { expression, end } = parsePlaceholder(text, opening + 2, notation, report);
    if (expression !== undefined) template.push(expression);
    index = end;
  }
  return template;
}

/**
 * Whether the text at `index`, after a `:[`, looks like a reference or a function. Inside a quoted SQL literal, `:[` may be plain text, as
 * in `'{"a":[1,2]}'`.
 */
export function looksLikePlaceholder(text: string, index: number, syntax: Syntax): boolean {
  const word = /\s*([\p{L}_@][\p{L}\p{M}\p{N}_-]*)\s*(.?)/suy;
  word.lastIndex = index;
  const [, name = '', next] = word.exec(text) ?? [];
  if (syntax === 'A') return next === '(' && functions.has(name.toUpperCase());
  return (
    next === '.' ||
    (next === '[' && name === 'param') ||
    ((name === 'body' || name === 'caller') && next !== '(')
  );
}
