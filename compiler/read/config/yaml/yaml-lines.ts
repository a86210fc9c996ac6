/** Splits YAML into lines with content and their parts, without a parser, for texts that the parser rejects. */

/** A line that is neither empty nor a comment. */
export interface Line {
  readonly start: number;
  /** The position after the indentation. */
  readonly textStart: number;
  /** The position after the last character that is not a space. */
  readonly end: number;
  /** The length of the indentation, counting a tab as one character. */
  readonly column: number;
  readonly hasTab: boolean;
}

export function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (const match of text.matchAll(/^([^\S\r\n\uFEFF]*)([^\s#][^\r\n]*)/gm)) {
    const indentation = match[1] ?? '';
    const textStart = match.index + indentation.length;
    lines.push({
      start: match.index,
      textStart,
      end: textStart + (match[2] ?? '').trimEnd().length,
      column: indentation.length,
      hasTab: indentation.includes('\t'),
    });
  }
  return lines;
}

/** The position after the quote that closes the one at `from`; undefined if there is none before `to`. */
export function endOfQuote(text: string, from: number, to: number): number | undefined {
  const quote = text.charAt(from);
  for (let at = from + 1; at < to; at += 1) {
    const character = text.charAt(at);
    if (character === '\\' && quote === '"') at += 1;
    else if (character === quote) {
      if (quote === '"' || text.charAt(at + 1) !== quote || at + 1 >= to) return at + 1;
      at += 1;
    }
  }
  return undefined;
}

/** The index in `written` of the colon that ends a key. */
export function colonOf(written: string): number | undefined {
  const character = written.charAt(0);
  if (character === '"' || character === "'") {
    const close = endOfQuote(written, 0, written.length);
    if (close === undefined) return undefined;
    const blanks = /[ \t]*/y;
    blanks.lastIndex = close;
    blanks.test(written);
    return isColon(written, blanks.lastIndex) ? blanks.lastIndex : undefined;
  }
  if ('{[|>%@`#'.includes(character)) return undefined;
  const comment = commentOf(written);
  for (let at = written.indexOf(':'); at !== -1 && at < comment; at = written.indexOf(':', at + 1))
    if (isColon(written, at)) return at;
  return undefined;
}

function isColon(written: string, at: number): boolean {
  return written.charAt(at) === ':' && /^\s?$/.test(written.charAt(at + 1));
}

/** The start of the spaces before a comment; the length if there is no comment. Not for quoted strings. */
export function commentOf(written: string): number {
  const at = written.search(/[ \t]#/);
  return at === -1 ? written.length : written.slice(0, at).trimEnd().length;
}

/** The key without quotes. */
export function nameOfKey(written: string): string {
  const key = written.trim();
  return /^(['"])[^]*\1$/.test(key) && key.length > 1 ? key.slice(1, -1) : key;
}

/** The end of a flow collection: the position after its last bracket, or the brackets that remain open. */
export type FlowEnd =
  { readonly end: number } | { readonly open: string; readonly quote?: number } | 'mismatch';

/** Finds the end of the flow collection that begins at `from`. */
export function endOfFlow(text: string, from: number, to: number): FlowEnd {
  let open = '';
  let isStart = true;
  for (let at = from; at < to; at += 1) {
    const character = text.charAt(at);
    if (isStart && (character === '"' || character === "'")) {
      const close = endOfQuote(text, at, to);
      if (close === undefined) return { open, quote: at };
      at = close - 1;
      isStart = false;
    } else if (character === '{' || character === '[') {
      open = (character === '{' ? '}' : ']') + open;
      isStart = true;
    } else if (character === '}' || character === ']') {
      if (!open.startsWith(character)) return 'mismatch';
      open = open.slice(1);
      if (open === '') return { end: at + 1 };
      isStart = false;
    } else if (character === '#' && /\s/.test(text.charAt(at - 1))) {
      const end = text.indexOf('\n', at);
      at = end === -1 ? to : end;
    } else if (!/\s/.test(character)) {
      isStart = character === ',' || (character === ':' && /[\s"'{[]/.test(text.charAt(at + 1)));
    }
  }
  return { open };
}
