/** Parses an expression in either syntax, and recognizes text that is valid in the other syntax. */
import { editOf } from '../../diagnostics/fix.js';
import type { Sink } from '../../diagnostics/finding.js';
import { Trial } from '../../diagnostics/trial.js';
import { spanBeside, wholeText, type ScalarText } from '../../source.js';
import type { Expression, Syntax } from '../ast.js';
import type { Notation } from '../notation.js';
import { printExpression } from '../print-expression.js';
import { quote } from './quoted.js';
import { rewrite } from '../other-syntax.js';
import { type Production, Scanner } from './scanner.js';
import { reportExtraText } from './recovery.js';
import { isNoField } from './recovery-a.js';
import { expressionA, operandA } from './syntax-a.js';
import { expressionB, operandB } from './syntax-b.js';
import { nodesIn } from '../visit.js';

const expressionOf: Record<Syntax, Production> = { A: expressionA, B: expressionB };
const operandOfOther: Record<Syntax, Production> = { A: operandB, B: operandA };

/** Parses a text that is a single expression; undefined after an error. */
export function readWhole(text: ScalarText, notation: Notation, errors: Sink): Expression | undefined {
  const { syntax, names, bareWord } = notation;
  const inside = insideBraces(text, notation);
  if (inside !== undefined) {
    const written = text.value.trim();
    errors.add('bare-text', text.span, { written, syntax, yaml: '', inside });
    return undefined;
  }
  const scanner = new Scanner(text, errors, { other: operandOfOther[syntax], names, bareWord });
  const expression = expressionOf[syntax](scanner);
  scanner.skipSpace();
  return expression === undefined || scanner.atEnd ? expression : trailing(scanner, expression, syntax);
}

/** The expression inside the delimiters of other languages: `{{ … }}`, `${{ … }}`, `${…}`, `#{…}`; undefined for any other text. */
function insideBraces(text: ScalarText, { syntax, names }: Notation): string | undefined {
  const [, inside] = /^\s*(?:\$?\{\{(.+)\}\}|[$#]\{(.+)\})\s*$/s.exec(text.value)?.filter(isText) ?? [];
  if (inside === undefined) return undefined;
  const trial = new Trial();
  const scanner = new Scanner(wholeText(text.span.source.path, inside.trim()), trial, { names });
  const isWhole = expressionOf[syntax](scanner) !== undefined && scanner.atEnd && trial.isClean;
  return isWhole ? inside.trim() : undefined;
}

function isText(group: string | undefined): group is string {
  return group !== undefined;
}

/** Parses an expression that begins at `start`, after `:[`, and may be followed by any text. */
export function readInPlaceholder(
  text: ScalarText,
  start: number,
  { syntax, names }: Notation,
  errors: Sink,
): { scanner: Scanner; expression: Expression | undefined } {
  const other = operandOfOther[syntax];
  const scanner = new Scanner(text, errors, { start, inPlaceholder: true, other, names });
  const expression = expressionOf[syntax](scanner);
  scanner.skipSpace();
  return { scanner, expression };
}

/**
 * Reports text after the expression. Returns the intended expression if it is known. In Syntax B, text after a single word is probably a
 * string without quotes.
 */
function trailing(scanner: Scanner, expression: Expression, syntax: Syntax): Expression {
  const start = scanner.index;
  const isNull = scanner.match(/is\s+(?:not\s+)?(?:null|none|nil|undefined)(?![\p{L}\p{N}_])/iuy);
  if (isNull !== undefined) {
    const operator = /\snot\s/i.test(isNull) ? '!=' : '==';
    const span = scanner.span(start);
    const instead = `${operator} ${syntax === 'A' ? 'NULL()' : 'null'}`;
    scanner.errors.add('wrong-operator', span, { written: isNull, operator: instead });
    return { kind: 'comparison', operator, left: expression, right: { kind: 'null', span }, span };
  }
  if (syntax === 'A' && memberOf(scanner, lastOperand(expression))) return expression;
  if (syntax === 'B' && expression.kind === 'result' && /[\p{L}\p{N},;:!?'-]/u.test(scanner.next)) {
    const written = scanner.text.value.trim();
    const quoted = quote(written, "'");
    const yaml = editOf(scanner.text.span, quoted)?.text ?? quoted;
    scanner.errors.add('bare-text', scanner.text.span, { written, syntax, yaml });
    scanner.errors.ignoreInside([scanner.text.span]);
  } else if (!listOfValues(scanner, expression, syntax)) reportExtraText(scanner);
  return expression;
}

/** Reports `a in ('x', 'y')` with the intended comparisons; returns false for anything else. */
function listOfValues(scanner: Scanner, left: Expression, syntax: Syntax): boolean {
  if (left.kind === 'comparison' || left.kind === 'logical' || left.kind === 'not') return false;
  const start = scanner.index;
  const list = scanner.match(/in[ \t]*\((?:[^'"()]|'[^'()]*'|"[^"()]*")+\)(?=\s*(?:\]|$))/iuy);
  const items = list?.slice(list.indexOf('(') + 1, -1).match(/'[^']*'|"[^"]*"|[^,\s]+/g) ?? [];
  if (list === undefined || !items.every((item) => /^(?:'.*'|".*"|-?\d{1,9})$/s.test(item))) {
    scanner.index = start;
    return false;
  }
  const { span } = left;
  const instead = items.map((item) => {
    const right: Expression = /^['"]/.test(item)
      ? { kind: 'text', value: item.slice(1, -1), span }
      : { kind: 'number', value: Number(item), span };
    return printExpression({ kind: 'comparison', operator: '==', left, right, span }, syntax);
  });
  scanner.errors.add('stray-text', scanner.span(start, start + 2), {
    written: list.slice(0, 2),
    inPlaceholder: false,
    instead: instead.join(' || '),
    call: spanBeside(span, span.start, scanner.span(start).end, span.scalar),
  });
  return true;
}

/** The operand that was parsed last. */
function lastOperand(expression: Expression): Expression {
  if (expression.kind === 'comparison' || expression.kind === 'logical') return lastOperand(expression.right);
  return expression.kind === 'not' ? lastOperand(expression.operand) : expression;
}

/** Reports `VALUE(news, $).length` and `VALUE(news, $).title` with the intended expression; returns false for anything else. */
function memberOf(scanner: Scanner, operand: Expression): boolean {
  if (operand.kind !== 'value' && operand.kind !== 'body' && operand.kind !== 'element') return false;
  const start = scanner.index;
  const written = scanner.match(/\.[\p{L}_][\p{L}\p{N}_-]*(?:\(\s*\))?/uy);
  if (written === undefined) return false;
  const name = written.slice(1).replace(/\(.*$/s, '');
  const isCount = /^(?:size|length|count|len)$/i.test(name);
  if (written.endsWith(')') && !isCount) {
    scanner.index = start;
    return false;
  }
  const meant: Expression = isCount
    ? { kind: 'size', of: operand, span: operand.span }
    : { ...operand, path: [...operand.path, { kind: 'name', name }] };
  scanner.errors.add('stray-text', scanner.span(start), {
    written,
    inPlaceholder: false,
    instead: printExpression(meant, 'A'),
    call: spanBeside(operand.span, operand.span.start, scanner.span(start).end, operand.span.scalar),
  });
  return true;
}

/**
 * If the whole text is valid in the other syntax, reports only that; otherwise returns false. A single word does not count: in Syntax A it
 * is probably a string without `TEXT(…)`.
 */
export function reportWrongSyntax(text: ScalarText, notation: Notation, report: Sink): boolean {
  const { syntax } = notation;
  const found = syntax === 'A' ? 'B' : 'A';
  const scanner = new Scanner(text, new Trial());
  const expression = expressionOf[found](scanner);
  scanner.skipSpace();
  if (expression === undefined || scanner.failed || !scanner.atEnd) return false;
  if (syntax === 'A' && (hasLoneResult(expression) || hasOther(expression, notation))) return false;
  const instead = rewrite(expression, notation);
  report.add('wrong-syntax', text.span, { written: text.value.trim(), found, instead });
  return true;
}

/** Whether something that looks like a Syntax B value has another meaning, such as a file name or `ENV.NAME`. */
function hasOther(expression: Expression, { bareWord }: Notation): boolean {
  return nodesIn(expression).some(({ kind, span: { source, start, end } }) =>
    kind === 'value' ? isNoField(source.text.slice(start, end), source, bareWord) : false,
  );
}

/** Whether a fulfillment's result is used other than in `news.size()` and `news == null`. */
function hasLoneResult(expression: Expression): boolean {
  let results = 0;
  for (const node of nodesIn(expression)) {
    if (node.kind === 'result') results += 1;
    if (node.kind === 'size' && node.of.kind === 'result') results -= 1;
    if (node.kind !== 'comparison') continue;
    const kinds = [node.left.kind, node.right.kind];
    if (kinds.includes('result') && kinds.includes('null')) results -= 1;
  }
  return results > 0;
}
