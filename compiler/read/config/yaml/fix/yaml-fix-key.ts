/** Fixes lines of a map that do not have a key with a colon. */
import { isField, type Context } from '../yaml-contexts.js';
import { colonOf, commentOf, endOfQuote, nameOfKey, type Line } from '../yaml-lines.js';
import { isDash, keyIn, looksLikeKey, word } from '../yaml-line-text.js';
import { maxVisits, type YamlFixer, insertion } from './yaml-fixer.js';
import { quoteEnd } from './yaml-fix-value.js';

/** Fixes a line of a map that does not have a key with a colon. */
export function keyWithoutColon(
  fixer: YamlFixer,
  line: Line,
  at: number,
  column: number,
  context: Context,
): { readonly key: string; readonly value: number } | undefined {
  const whole = fixer.text.slice(at, line.end);
  const written = whole.slice(0, commentOf(whole));
  const end = at + written.length;
  if (/^['"]/.test(written)) return quotedKey(fixer, line, at, written);
  const first = word.exec(written)?.[0];
  if (first === undefined) return nameWithoutColon(fixer, at, written, column, context);
  const isKnown = isField(context, first);
  // In a list that contains only maps, an item that begins with a field is a map.
  const isItem = at > line.textStart && isKnown === true;
  if (!isItem && !isInMap(fixer, column)) return undefined;
  const rest = written.slice(first.length);
  if (/^:[^\s:/]/.test(rest) || (/^:\S/.test(rest) && isKnown === true)) {
    const colon = at + first.length + 1;
    fixer.report(at, colon, "missing space after ':'", {
      hint: `Write '${first}: ' with a space after the colon.`,
      edits: [insertion(colon, ' ')],
    });
    return { key: first, value: colon };
  }
  const marker = /^[ \t]*(?:=>?|;)[ \t]*/.exec(rest)?.[0];
  if (marker !== undefined && isKnown === true) {
    const start = at + first.length;
    fixer.report(at, end, `'${marker.trim()}' instead of a colon`, {
      hint: `Write '${first}: '.`,
      edits: [{ start, end: start + marker.length, text: ': ' }],
    });
    return { key: first, value: start + marker.length };
  }
  if (rest === '' || (isKnown !== true && hasLinesBelow(fixer, column))) {
    return nameWithoutColon(fixer, at, written, column, context);
  }
  if (!/^[ \t]/.test(rest)) return undefined;
  fixer.report(at, end, "missing ':' in this line", {
    hint:
      isKnown === true
        ? `Write '${first}:' with a colon and a space.`
        : 'Write a key, a colon, a space and the value, such as type: READ.',
    edits: [insertion(at + first.length, ':')],
    isSafe: isKnown === true,
  });
  return { key: first, value: at + first.length };
}

/** Adds the colon at the end of a key whose value is on the lines below. */
function nameWithoutColon(
  fixer: YamlFixer,
  at: number,
  written: string,
  column: number,
  context: Context,
): { readonly key: string; readonly value: number } | undefined {
  const isKey = /^['"]?[\p{L}\p{N}_$/]/u.test(written) && isInMap(fixer, column);
  if (!isKey || written.endsWith(':') || colonOf(`${written}:`) !== written.length) return undefined;
  if (!hasLinesBelow(fixer, column) && isField(context, written) !== true) return undefined;
  const end = at + written.length;
  fixer.report(at, end, "missing ':' in this line", {
    hint: 'Write a colon at its end.',
    edits: [insertion(end, ':')],
    isSafe: hasLinesBelow(fixer, column),
  });
  return { key: nameOfKey(written), value: end };
}

function quotedKey(
  fixer: YamlFixer,
  line: Line,
  at: number,
  written: string,
): { readonly key: string; readonly value: number } | undefined {
  const quote = written.charAt(0);
  const close = endOfQuote(written, 0, written.length);
  if (close === undefined) {
    if (!written.endsWith(':') || quoteEnd(fixer, line, at, fixer.top?.column ?? -1) !== undefined)
      return undefined;
    const end = at + written.length - 1;
    fixer.report(at, line.end, 'unclosed quote', {
      hint: `Write another ${quote} where the string ends.`,
      edits: [insertion(end, quote)],
    });
    return { key: written.slice(1, -1), value: end + 1 };
  }
  const column = fixer.top?.column ?? 0;
  if (close < written.length) {
    const colon = at + close + 1;
    if (/^:\S/.test(written.slice(close)) && isInMap(fixer, column)) {
      fixer.report(at, colon, "missing space after ':'", {
        hint: 'Write a space after the colon.',
        edits: [insertion(colon, ' ')],
      });
      return { key: nameOfKey(written.slice(0, close)), value: colon };
    }
    return undefined;
  }
  return nameWithoutColon(fixer, at, written, column, undefined);
}

/** Whether the current line is certainly an entry of a map because adjacent lines are. */
function isInMap(fixer: YamlFixer, column: number): boolean {
  const top = fixer.top;
  if (top?.kind === 'map' && top.column === column && fixer.isFurther) return true;
  const following = fixer.lines[fixer.next];
  if (following !== undefined && following.column > column && looksLikeKey(fixer.textOf(following)))
    return true;
  for (let index = fixer.next; index < fixer.lines.length; index += 1) {
    const next = fixer.lines[index];
    fixer.budget.visited += 1;
    if (next === undefined || fixer.budget.visited > maxVisits * fixer.lines.length) return false;
    if (next.column < column) return false;
    if (next.column === column) return keyIn(fixer.text.slice(next.textStart, next.end)) !== undefined;
  }
  return false;
}

/** Whether the value of the current line is on the lines below. */
function hasLinesBelow(fixer: YamlFixer, column: number): boolean {
  const next = fixer.lines[fixer.next];
  if (next === undefined) return false;
  const isItem = isDash(fixer.text.slice(next.textStart, next.end));
  return next.column > column || (next.column === column && isItem);
}
