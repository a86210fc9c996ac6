/** Reports unexpected text in either syntax. */
import { atOperandEnd, nextOperator } from '../operator.js';
import type { Scanner } from './scanner.js';
import { refuseTypographic } from './typographic.js';

/** Reports text after the end of an expression as a single error. */
export function reportExtraText(scanner: Scanner): void {
  if (refuseTypographic(scanner)) return;
  const start = scanner.index;
  const written =
    scanner.match(/=~|!~|->|\?\?/y) ??
    scanner.match(/[\p{L}\p{M}\p{N}_.$@-]+/uy) ??
    scanner.match(/./suy) ??
    '';
  const before = scanner.slice(Math.max(0, start - 80), start).trim();
  scanner.errors.add('stray-text', scanner.span(start), {
    written,
    inPlaceholder: scanner.inPlaceholder,
    before: scanner.inPlaceholder ? before.slice(before.lastIndexOf(':[') + 2) : before,
    isLast: scanner.peek(/\s*(?=\]|$)/y) !== undefined,
    after: scanner.peek(/\s*(?:-?\d{1,20}(?:\.\d{1,20})?|'[^']{0,40}')(?![^\s\]])/y)?.trim(),
  });
}

/** Reports the next characters if they cannot be an operand, correct or misspelled, in either syntax. */
export function refuseNonOperand(scanner: Scanner): boolean {
  if (refuseTypographic(scanner)) return true;
  const start = scanner.index;
  if (scanner.startsWith(':[')) {
    scanner.errors.add('placeholder-in-expression', scanner.span(start, start + 2));
    return true;
  }
  if (!atOperandEnd(scanner)) return false;
  const written = nextOperator(scanner)?.written ?? scanner.next;
  scanner.errors.add('missing-operand', scanner.span(start, start + written.length), { written });
  return true;
}
