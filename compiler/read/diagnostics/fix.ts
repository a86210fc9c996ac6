/** A change of the file that applies a hint. */
import { yaml } from '../../notation/yaml-writer.js';
import type { Span } from '../source.js';

/** The characters from `start` to `end` of the source of the diagnostic, and their replacement. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Edits that belong together: either all of them are applied, or none of them. */
export interface Fix {
  /** In the order of the file; they never overlap. */
  readonly edits: readonly Edit[];
  /** Whether nothing else can be meant, so that it can be applied without a question. */
  readonly isSafe: boolean;
}

/** Maximum length of a plain scalar that is checked as a whole: thousands of fixes in one long line would take minutes. */
const maxPlainScalar = 4096;

/**
 * `text` instead of the span, escaped for the YAML scalar around it. A plain scalar that could not contain it gets quotes; in a very long
 * plain scalar there is no fix. With `raw` the text is YAML already.
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
  // A word instead of a word needs no additional quotes.
  const isPart = start > scalar.start || end < scalar.end;
  if (isPart && isWord.test(text) && isWord.test(source.text.slice(start, end))) return { start, end, text };
  const before = source.text.slice(scalar.start, start);
  const after = source.text.slice(end, scalar.end);
  const whole = before + text + after;
  // A plain scalar with these characters is in no { } and no [ ], where they would end it.
  const isInBlock =
    /[,[\]{}]/.test(source.text.slice(scalar.start, scalar.end).replaceAll(/:\[[^[\]]*\]/g, 'x')) ||
    isAloneInLine(source.text, scalar);
  if (isPlain(whole, isInBlock) || whole.includes('\n')) return { start, end, text };
  return { start: scalar.start, end: scalar.end, text: yaml.quoted(whole) };
}

/** Whether its line has only its key before it, and the lines around are not those of a `{ }` or `[ ]` over several lines. */
function isAloneInLine(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): boolean {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const before = text.slice(lineStart, start).trimStart();
  // Thousands of fixes in one file must not each look through all of it.
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

/** The number of characters before and after that are looked at. */
const aroundLength = 500;

const isWord = /^[\p{L}\p{N}_]+$/u;

/** Readers of YAML take these for null, a boolean or a number, some of them only by version 1.1. */
const isNoString =
  /^(?:~|null|true|false|yes|no|on|off|y|n|[-+]?(?:0x[\da-f]+|0o?[0-7_]+|0b[01_]+|(?:[\d_]+(?:\.[\d_]*)?|\.[\d_]+)(?:e[-+]?\d+)?|\d[\d_:.]*|\.(?:inf|nan)))$/i;

/** Whether YAML reads the text as a text of these characters without quotes; unless it is in a block, also inside `{ }` and `[ ]`. */
function isPlain(text: string, isInBlock: boolean): boolean {
  const isOther = /^[\s&*!|>'"%@`#,[\]{}]|^[-?:](?:\s|$)|:(?:\s|$)|\s#|\s$|^$|^[\d.+-]+$/.test(text);
  return (
    !isOther &&
    !isNoString.test(text) &&
    (isInBlock || !/[,[\]{}]/.test(text.replaceAll(/:\[[^[\]]*\]/g, 'x')))
  );
}
