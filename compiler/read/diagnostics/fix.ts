/** An edit of a file that applies a hint. */
import { yaml } from '../../notation/yaml-writer.js';
import type { Span } from '../source.js';

/** Replaces the characters from `start` to `end` in the diagnostic's source. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Edits that are applied together or not at all. */
export interface Fix {
  /** Edits in file order, without overlaps. */
  readonly edits: readonly Edit[];
  /** True if the fix is unambiguous and can be applied automatically. */
  readonly isSafe: boolean;
}

/** Maximum length of a plain scalar that is checked as a whole: thousands of fixes in a single long line would take minutes. */
const maxPlainScalar = 4096;

/**
 * Replaces the span with `text`, escaped for the surrounding YAML scalar. A plain scalar that could not contain the text is quoted;
 * undefined if it is too long to check. With `raw`, the text is already YAML.
 */
export function editOf({ source, start, end, scalar }: Span, text: string, raw = false): Edit | undefined {
  if (raw || scalar === undefined) return { start, end, text };
  if (scalar.style === 'single') {
    const isWhole = start === scalar.start && end === scalar.end;
    const escaped = text.replaceAll("'", "''");
    return { start, end, text: isWhole ? yaml.quoted(text) : escaped };
  }
  if (scalar.style === 'double') {
    const isWhole = start === scalar.start && end === scalar.end;
    const escaped = JSON.stringify(text);
    return { start, end, text: isWhole ? escaped : escaped.slice(1, -1) };
  }
  if (scalar.end - scalar.start > maxPlainScalar) return undefined;
  // Replacing a word with another word never requires quotes.
  const isPart = start > scalar.start || end < scalar.end;
  if (isPart && isWord.test(text) && isWord.test(source.text.slice(start, end))) return { start, end, text };
  const before = source.text.slice(scalar.start, start);
  const after = source.text.slice(end, scalar.end);
  const whole = before + text + after;
  // A plain scalar with these characters is not inside { } or [ ], where they would end it.
  const isInBlock =
    /[,[\]{}]/.test(source.text.slice(scalar.start, scalar.end).replaceAll(/:\[[^[\]]*\]/g, 'x')) ||
    isAloneInLine(source.text, scalar);
  if (isPlain(whole, isInBlock) || whole.includes('\n')) return { start, end, text };
  return { start: scalar.start, end: scalar.end, text: yaml.quoted(whole) };
}

/** Whether only the key precedes the scalar on its line, and the line is not part of a multi-line `{ }` or `[ ]`. */
function isAloneInLine(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): boolean {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const before = text.slice(lineStart, start).trimStart();
  // Limits the search, so that thousands of fixes do not each scan the whole file.
  const above = text.slice(Math.max(0, lineStart - aroundLength), lineStart).trimEnd();
  const lastAbove = above.slice(above.lastIndexOf('\n') + 1);
  const [after = '', ...below] = text.slice(end, end + aroundLength).split('\n');
  return (
    /^(?:- )?[A-Za-z_][\w-]*: $/.test(before) &&
    after.trim() === '' &&
    !/^[\]}]/.test(below.join('\n').trimStart()) &&
    !/[,[{]$|#/.test(lastAbove)
  );
}

/** The number of characters to examine before and after. */
const aroundLength = 500;

const isWord = /^[\p{L}\p{N}_]+$/u;

/** Strings that some YAML parsers (partly only version 1.1) read as null, a boolean or a number. */
const isNoString =
  /^(?:~|null|true|false|yes|no|on|off|y|n|[-+]?(?:0x[\da-f]+|0o?[0-7_]+|0b[01_]+|(?:[\d_]+(?:\.[\d_]*)?|\.[\d_]+)(?:e[-+]?\d+)?|\d[\d_:.]*|\.(?:inf|nan)))$/i;

/** Whether YAML reads the text as this string without quotes, also inside `{ }` and `[ ]` unless `isInBlock`. */
function isPlain(text: string, isInBlock: boolean): boolean {
  const isOther = /^[\s&*!|>'"%@`#,[\]{}]|^[-?:](?:\s|$)|:(?:\s|$)|\s#|\s$|^$|^[\d.+-]+$/.test(text);
  return (
    !isOther &&
    !isNoString.test(text) &&
    (isInBlock || !/[,[\]{}]/.test(text.replaceAll(/:\[[^[\]]*\]/g, 'x')))
  );
}
