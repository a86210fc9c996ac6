/** The column at which a line is read: its actual column or the corrected one. */
import { position } from '../../../source.js';
import { isField } from '../yaml-contexts.js';
import type { Line } from '../yaml-lines.js';
import { isDash, keyIn, looksLikeKey, columnWith } from '../yaml-line-text.js';
import { type Level, costs, type YamlFixer, indentation } from './yaml-fixer.js';
import { fitsAt, meantLevel, columnElsewhere, columnOfFirst } from './yaml-fix-meant.js';

/** Whether the line continues a multi-line string. */
export function continuesText(fixer: YamlFixer, column: number, written: string): boolean {
  return fixer.before.kind === 'text' && column > (fixer.top?.column ?? -1) && !looksLikeKey(written);
}

export function columnOf(fixer: YamlFixer, line: Line, written: string): number | undefined {
  const { column } = line;
  if (/^(?:\/\/|\/\*|--)(?!-)/.test(written) && !looksLikeKey(written)) {
    const marker = written.slice(0, 2);
    fixer.report(line.textStart, line.end, `a comment begins with '#', not with '${marker}'`, {
      hint: "Write '#' instead.",
      edits: [{ start: line.textStart, end: line.textStart + 2, text: '#' }],
      isSafe: marker !== '/*',
    });
    return undefined;
  }
  const chosen = fixer.chosen.get(fixer.next - 1);
  if (chosen !== undefined && chosen.column !== column) {
    const kind = isDash(written) ? 'list' : 'map';
    const level = fixer.levels.findLast((one) => one.column === chosen.column && one.kind === kind);
    return moveLine(fixer, line, chosen.column, level, chosen.isSure);
  }
  if (chosen !== undefined || fitsAt(fixer, column, written)) {
    const meant =
      chosen === undefined
        ? (columnElsewhere(fixer, line, written) ?? columnOfFirst(fixer, line, written))
        : undefined;
    if (meant !== undefined) return moveLine(fixer, line, meant);
    if (fixer.moved !== undefined && column <= fixer.moved.from) fixer.moved = undefined;
    return column;
  }
  if (fixer.moved !== undefined && column > fixer.moved.from) {
    const moved = column + fixer.moved.by;
    if (fitsAt(fixer, moved, written)) {
      if (fixer.cost === undefined) fixer.moved.fix.edits.push(indentation(line, moved));
      fixer.add(costs.along);
      return moved;
    }
  }
  const level = meantLevel(fixer, [column], line, written);
  return level === undefined ? undefined : moveLine(fixer, line, level.column, level);
}

/** Reports a line and moves it to the column. */
function moveLine(
  fixer: YamlFixer,
  line: Line,
  column: number,
  level?: Level,
  isSure = isOnlyPlace(fixer, level, fixer.textOf(line)),
): number {
  const isDeeper = line.column > (fixer.top?.column ?? 0) && fixer.before.kind !== 'open';
  const like = level === undefined ? '' : `, like line ${position(fixer.source, level.line.textStart).line}`;
  const fix = fixer.report(
    line.textStart,
    line.end,
    isDeeper
      ? 'this line is indented too far: the line above has a value'
      : 'the indentation matches no line above',
    {
      hint: `Indent it by ${column} spaces${like}.`,
      edits: [indentation(line, column)],
      isSafe: isSure,
    },
  );
  fixer.moved = { from: line.column, by: column - line.column, fix };
  return column;
}

/** Whether no other open list or map is possible. */
function isOnlyPlace(fixer: YamlFixer, level: Level | undefined, written: string): boolean {
  if (level === undefined) return false;
  const key = keyIn(written);
  return (
    key !== undefined &&
    isField(level.context, key) === true &&
    fixer.levels.every((other) => other.column === level.column || isField(other.context, key) === false)
  );
}

/** The column for a line that is indented with tabs. */
export function columnOfTab(fixer: YamlFixer, line: Line, written: string): number | undefined {
  const before = fixer.text.slice(line.start, line.textStart);
  const widths = [4, 2, 8, 1, 3].map((width) => columnWith(before, width));
  if (fixer.before.kind === 'text' && keyIn(written) === undefined && !isDash(written)) {
    reportTabInText(fixer, line, before);
    return undefined;
  }
  const chosen = fixer.chosen.get(fixer.next - 1);
  const level = meantLevel(fixer, widths, line, written);
  const column = chosen?.column ?? level?.column ?? widths.find((width) => fitsAt(fixer, width, written));
  if (column === undefined) return undefined;
  fixer.report(line.start, line.textStart, 'tab in the indentation', {
    hint: 'Indent with spaces.',
    edits: [indentation(line, column)],
    isSafe: chosen?.isSure ?? isOnlyPlace(fixer, level, written),
    isTab: true,
  });
  return column;
}

/** Reports a tab inside a string: YAML accepts tabs there as spaces, but not as indentation. */
function reportTabInText(fixer: YamlFixer, line: Line, before: string): void {
  const column = fixer.top?.column ?? -1;
  if (before.indexOf('\t') > column) return;
  fixer.report(line.start, line.textStart, 'tab in the indentation', {
    hint: 'Indent with spaces.',
    edits: [indentation(line, column + 2)],
    // The line could also be a name that does not have its colon yet.
    isSafe: false,
    isTab: true,
  });
}

export function startsItem(fixer: YamlFixer, column: number, written: string): boolean {
  if (isDash(written)) return true;
  if (!/^-[\p{L}_][\p{L}\p{N}_-]*:(?:\s|$)/u.test(written)) return false;
  if (fixer.levels.some((level) => level.kind === 'list' && level.column === column)) return true;
  const next = fixer.lines[fixer.next];
  if (fixer.before.kind !== 'open' || next === undefined) return false;
  const isBesideItem = next.column === column && isDash(fixer.textOf(next));
  return isBesideItem || (next.column === column + 2 && !/:$/.test(written));
}
