/** The foldable ranges of a file, based on indentation, so that they also work while the text is not valid YAML. */

/** Zero-based lines; the first one stays visible. */
export interface FoldingRange {
  readonly start: number;
  readonly end: number;
  readonly isComment: boolean;
}

/** Ranges sorted by first line. */
export function foldingRanges(text: string): FoldingRange[] {
  const lines = text.split('\n').map(readLine);
  const found: FoldingRange[] = [];
  /** Lines whose ranges are still open, each more deeply indented than the previous one. */
  const open: { readonly start: number; readonly line: ContentLine }[] = [];
  let last = 0;
  const closeFrom = (line: ContentLine | undefined): void => {
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      if (line !== undefined && holds(top.line, line)) return;
      open.pop();
      if (last > top.start) found.push({ start: top.start, end: last, isComment: false });
    }
  };
  for (const [start, line] of lines.entries()) {
    if (line.kind !== 'content') continue;
    closeFrom(line);
    open.push({ start, line });
    last = start;
  }
  closeFrom(undefined);
  return [...found, ...comments(lines)].sort((a, b) => a.start - b.start || b.end - a.end);
}

interface ContentLine {
  readonly kind: 'content';
  readonly column: number;
  /** Whether the line starts a list item. */
  readonly isItem: boolean;
}

type Line = ContentLine | { readonly kind: 'comment' | 'empty' };

function readLine(text: string): Line {
  const column = text.search(/[^ \r]/);
  if (column === -1) return { kind: 'empty' };
  if (text.charAt(column) === '#') return { kind: 'comment' };
  return { kind: 'content', column, isItem: /^-(?:\s|$)/.test(text.slice(column)) };
}

/** Whether the second line belongs to the first one. List items may have the same indentation as their key. */
function holds(outer: ContentLine, { column, isItem }: ContentLine): boolean {
  return column > outer.column || (isItem && !outer.isItem && column === outer.column);
}

/** Comments that span several lines. */
function comments(lines: readonly Line[]): FoldingRange[] {
  return lines.flatMap(({ kind }, start): FoldingRange[] => {
    if (kind !== 'comment' || lines[start - 1]?.kind === 'comment') return [];
    let end = start;
    while (lines[end + 1]?.kind === 'comment') end += 1;
    return end > start ? [{ start, end, isComment: true }] : [];
  });
}
