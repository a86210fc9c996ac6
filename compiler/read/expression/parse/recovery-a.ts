/** Reports invalid text in place of a Syntax A operand, with a suggestion. */
import { nearest } from '../../diagnostics/suggest.js';
import type { Source } from '../../source.js';
import type { Expression } from '../ast.js';
import { functions } from '../functions.js';
import type { BareWord } from '../notation.js';
import { atOperandEnd, nextOperator } from '../operator.js';
import { atQuote, quoted } from './quoted.js';
import { rewrite } from '../other-syntax.js';
import type { Scanner } from './scanner.js';
import { refuseNonOperand } from './recovery.js';
import { refuseTypographic } from './typographic.js';
import { writtenNames } from '../written-names.js';

/** Reports the error; returns an error node if its end is known. */
export function recoverInA(scanner: Scanner): Expression | undefined {
  if (refuseQuotes(scanner) || refuseNonOperand(scanner)) return undefined;
  if (scanner.next === '$' || scanner.startsWith('.')) return pathAlone(scanner);
  return functionName(scanner) ?? (meansOther(scanner) ? undefined : syntaxB(scanner)) ?? bareText(scanner);
}

/** Whether text that looks like a Syntax B field has another meaning. */
function meansOther(scanner: Scanner): boolean {
  const written = scanner.peek(/[^\s,()\][=<>!&|]+/y) ?? '';
  return isNoField(written, scanner.span(scanner.index).source, scanner.bareWord);
}

const endsOfFiles =
  /\.(?:csv|docx?|gif|html?|ics|jpe?g|json|md|ndjson|odt|pdf|png|svg|txt|webp|xlsx?|xml|ya?ml|zip)$/i;

/**
 * Whether text such as `report.pdf` or `COOKIE.session` is not a fulfillment's field, because no fulfillment has the name or a file is
 * expected.
 */
export function isNoField(written: string, source: Source, bareWord: BareWord | undefined): boolean {
  const [, name, rest] = /^([\p{L}\p{N}_-]+)\.(.+)$/u.exec(written) ?? [];
  if (name === undefined || rest === undefined) return false;
  const isFile = endsOfFiles.test(written);
  if (isFile && bareWord === 'file') return true;
  const names = writtenNames(source);
  if (names.has(name)) return false;
  return /^(?:HEADER|QUERY|COOKIE|CALLER|ENV)$/.test(name) || (isFile && names.size > 0);
}

/** Reports a string in typographic quotes; with straight quotes it would be Syntax B. */
function refuseQuotes(scanner: Scanner): boolean {
  const written = scanner.peek(/[“„«‘‚][^“”„«»‘’‚()]*[”“»’‘]/uy);
  if (written === undefined) return false;
  scanner.errors.add('typographic-character', scanner.span(scanner.index, scanner.index + 1), {
    ...{ character: written.charAt(0), instead: '"' },
    text: written.slice(1, -1),
  });
  return true;
}

/** Reports a path without a source. */
function pathAlone(scanner: Scanner): Expression {
  const start = scanner.index;
  scanner.match(/(?:[^\s,()\][=<>!&|]|\[[^\][()]*\])+/y);
  scanner.errors.add('path-without-source', scanner.span(start), { written: scanner.slice(start) });
  return scanner.errorNode(start);
}

/** Reports a function name without parentheses: `NULL`, `BODY`, `PARAM`. */
function functionName(scanner: Scanner): Expression | undefined {
  const start = scanner.index;
  const name = scanner.match(/[A-Z_][A-Z\d_]*(?![\p{L}\p{M}\p{N}_.-])/uy);
  const rule = functions.get(name ?? '');
  if (rule !== undefined && atEndOfOperand(scanner)) {
    scanner.errors.add('function-without-parentheses', scanner.span(start), { form: rule.form });
    return scanner.errorNode(start);
  }
  if (rule !== undefined && refuseTypographic(scanner)) return scanner.errorNode(start);
  scanner.index = start;
  return undefined;
}

/** Reports a Syntax B operand, such as `param.id` or `'text'`. */
function syntaxB(scanner: Scanner): Expression | undefined {
  if (scanner.other === undefined) return undefined;
  const start = scanner.index;
  const attempt = scanner.attempt(start);
  const expression = scanner.other(attempt);
  scanner.index = attempt.index;
  // A single word is usually a string without TEXT(…), not a fulfillment's result.
  if (
    expression !== undefined &&
    !attempt.failed &&
    expression.kind !== 'result' &&
    atEndOfOperand(scanner)
  ) {
    const instead = rewrite(expression, { syntax: 'A' });
    scanner.errors.add('wrong-syntax', scanner.span(start), {
      written: scanner.slice(start),
      found: 'B',
      instead,
    });
    return scanner.errorNode(start);
  }
  scanner.index = start;
  return undefined;
}

/** Reports words that should be in `TEXT(…)`, up to an operator, a comma or the end. */
function bareText(scanner: Scanner): Expression | undefined {
  const start = scanner.index;
  if (atQuote(scanner)) {
    if (quoted(scanner) === undefined) return undefined;
    scanner.index = start;
  }
  for (let open = 0; !scanner.atEnd; scanner.index += 1) {
    scanner.match(/(?:[^()[\],=!<>&|\s]|\s(?!(?:and|or|AND|OR)\s+!?[A-Z_]+\())+/y);
    if (scanner.peek(/\s(?:and|or)\s/iy) !== undefined) break;
    const ends = scanner.next === ',' ? !scanner.outermost : /[)\]]/.test(scanner.next);
    if (open === 0 && (ends || nextOperator(scanner) !== undefined)) break;
    if (/[([]/.test(scanner.next)) open += 1;
    if (/[)\]]/.test(scanner.next)) open -= 1;
  }
  const written = scanner.slice(start).trimEnd();
  scanner.errors.add('bare-text', scanner.span(start, start + written.length), {
    written,
    syntax: 'A',
    yaml: '',
    result: resultNamed(written, scanner),
    bareWord: bareWordAt(scanner, start, written),
    isCounted:
      /\bSIZE\(\s*$/.test(scanner.slice(Math.max(0, start - 12), start)) &&
      /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(written),
  });
  return scanner.errorNode(start);
}

/**
 * The probable meaning of a bare word in its context. The argument of IF_MATCH counts as a column, because it is usually a version column.
 */
function bareWordAt(scanner: Scanner, start: number, written: string): BareWord | undefined {
  if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(written)) return undefined;
  const isVersion = /\bIF_MATCH\(\s*$/.test(scanner.slice(Math.max(0, start - 16), start));
  return isVersion ? 'column' : scanner.bareWord;
}

/** The fulfillment that a word may refer to; undefined for other text. */
function resultNamed(written: string, scanner: Scanner): string | undefined {
  if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(written)) return undefined;
  const names = writtenNames(scanner.span(scanner.index).source);
  return names.size === 0 || names.has(written) ? written : nearest(written, names);
}

/** Whether the operand is complete; otherwise it is only the beginning of a longer text. */
function atEndOfOperand(scanner: Scanner): boolean {
  const end = scanner.index;
  scanner.skipSpace();
  const complete = atOperandEnd(scanner) || nextOperator(scanner) !== undefined;
  scanner.index = end;
  return complete;
}
