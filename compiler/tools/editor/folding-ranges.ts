/** The foldable ranges of a file, by the indentation of its lines: also in text that is not valid YAML yet. */

/** Lines from 0; the first one stays visible. */
export interface FoldingRange {
  readonly start: number;
  readonly end: number;
  readonly isComment: boolean;
}

/** In the order of their first lines. */
export function foldingRanges(text: string): FoldingRange[] {
  const lines = text.split('\n').map(readLine);
  const found: FoldingRange[] = [];
  /** The lines that are still open, each deeper than the one before. */
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
  /** Whether it begins an item of a list. */
  readonly isItem: boolean;
}

type Line = ContentLine | { readonly kind: 'comment' | 'empty' };

function readLine(text: string): Line {
  const column = text.search(/[^ \r]/);
  if (column === -1) return { kind: 'empty' };
  if (text.charAt(column) === '#') return { kind: 'comment' };
  return { kind: 'content', column, isItem: /^-(?:\s|$)/.test(text.slice(column)) };
}

/** Whether the second line belongs to the first one. The items of a list may be as deep as its key. */
function holds(outer: ContentLine, { column, isItem }: ContentLine): boolean {
  return column > outer.column || (isItem && !outer.isItem && column === outer.column);
}

/** Comments over several lines. */
function comments(lines: readonly Line[]): FoldingRange[] {
  return lines.flatMap(({ kind }, start): FoldingRange[] => {
    if (kind !== 'comment' || lines[start - 1]?.kind === 'comment') return [];
    let end = start;
    while (lines[end + 1]?.kind === 'comment') end += 1;
    return end > start ? [{ start, end, isComment: true }] : [];
  });
}
