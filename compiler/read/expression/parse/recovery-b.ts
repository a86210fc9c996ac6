/** Reports invalid text in place of a Syntax B operand, with a suggestion. */
import type { Expression } from '../ast.js';
import { functions } from '../functions.js';
import { skipArgument } from './name-argument.js';
import { rewrite } from '../other-syntax.js';
import type { Scanner } from './scanner.js';
import { writtenNames } from '../written-names.js';
import { refuseNonOperand, reportExtraText } from './recovery.js';

/** Reports the error; returns an error node if its end is known. */
export function recoverInB(scanner: Scanner): Expression | undefined {
  if (refuseNonOperand(scanner)) return undefined;
  const start = scanner.index;
  const path = scanner.match(/\$(?:[^\s,()\][=<>!&|]|\[[^\][()]*\])*/y);
  if (path === undefined) {
    reportExtraText(scanner);
    return undefined;
  }
  scanner.errors.add('path-in-syntax-b', scanner.span(start), { written: path, steps: path.slice(1) });
  return scanner.errorNode(start);
}

/**
 * Reports function calls such as `PARAM(id)` and `size(news)`: in Syntax B, size is the method `.size()`. Called after the word before the
 * `(`.
 */
export function functionInB(scanner: Scanner, word: string, start: number): Expression | undefined {
  const wordEnd = scanner.index;
  if (functions.has(word) && scanner.other !== undefined) {
    const attempt = scanner.attempt(start);
    const expression = scanner.other(attempt);
    // Skip the text, so that it is not parsed repeatedly.
    scanner.index = attempt.index;
    const instead =
      expression === undefined || attempt.failed
        ? undefined
        : rewrite(expression, { syntax: 'B', names: scanner.names });
    scanner.unclosed = attempt.unclosed;
    scanner.errors.add(
      'wrong-syntax',
      scanner.span(start, expression === undefined ? wordEnd : scanner.index),
      {
        written: expression === undefined ? word : scanner.slice(start),
        found: 'A',
        instead,
      },
    );
    return expression === undefined ? undefined : scanner.errorNode(start);
  }
  scanner.match(/\s*\(/y);
  const inside = scanner.index;
  do skipArgument(scanner);
  while (scanner.take(','));
  const args = scanner.slice(inside).trim();
  const closed = scanner.take(')');
  scanner.errors.add('no-functions-in-syntax-b', scanner.span(start, wordEnd), {
    ...{ name: word, args },
    call: closed ? scanner.span(start) : undefined,
  });
  return closed ? scanner.errorNode(start) : undefined;
}

/** Reports words with wrong letter case, such as `NULL`, `True` and `PARAM.id`: the words of Syntax B are lower-case. */
export function wrongCase(scanner: Scanner, word: string, start: number): Expression | undefined {
  const stepFollows = scanner.next === '.' || scanner.next === '[';
  const wrong = stepFollows ? /^(?:PARAM|BODY|HEADER|QUERY|COOKIE|CALLER)$/ : /^(?:null|true|false)$/i;
  const instead = word.toLowerCase();
  if (!wrong.test(word) || word === instead) return undefined;
  // Older configurations can have fulfillments with these names.
  if (/^[HQC]/.test(word) && writtenNames(scanner.span(start).source).has(word)) return undefined;
  scanner.errors.add('lower-case-word', scanner.span(start), { written: word, instead });
  scanner.match(/[^\s,()\][=<>!&|]+/y);
  return scanner.errorNode(start);
}
