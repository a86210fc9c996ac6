/** Tries each possible column of a line by reading ahead, and chooses the one that causes the fewest further errors. */
import type { Line } from '../yaml-lines.js';
import { columnWith, gradeOf, isDash, keyIn, looksLikeKey } from '../yaml-line-text.js';
import { costs, maxMoved, type YamlFixer } from './yaml-fixer.js';
import { startsItem } from './yaml-fix-column.js';
import { fitsAt, columnElsewhere, firstColumn } from './yaml-fix-meant.js';
import { readNextLine } from './yaml-fix-line.js';

/** Nesting limit for reading ahead, deeper than any valid configuration: each attempt copies all open levels. */
export const maxLevels = 64;

/** Number of lines to read ahead for each attempt. */
const maxAhead = 30;

/** Average number of times that a line may be read ahead; beyond this, the nearest list or map is chosen. */
const maxTrials = 64;

/** A possible column for the line with that index. */
interface Choice {
  readonly index: number;
  readonly column: number;
}

/**
 * Chooses the column of a suspicious line or of the preceding line by reading ahead. True if reading must continue from the preceding line.
 */
export function judgeLine(fixer: YamlFixer, index: number, line: Line): boolean {
  if (fixer.levels.length > maxLevels || fixer.judged.has(index) || !isSuspicious(fixer, line)) return false;
  fixer.judged.add(index);
  const written = costBefore(fixer, index);
  const ways: { readonly choice: Choice; readonly cost: number }[] = [];
  // The position of a line without a key is unclear, so it is not moved far.
  const isNameless = keyIn(fixer.textOf(line)) === undefined && !line.hasTab;
  for (const choice of choicesFor(fixer, index, line)) {
    const isFar = choice.index !== index || Math.abs(choice.column - line.column) > maxMoved;
    if (isNameless && isFar) continue;
    const cost = costOf(fixer, choice, index);
    if (cost === undefined) return false;
    const own = line.hasTab ? costOfTab(fixer, line, choice.column) : 0;
    ways.push({ choice, cost: cost + own + (choice.index === index ? written : costs.unusual) });
  }
  const [best, second] = ways.sort((a, b) => a.cost - b.cost);
  if (best === undefined) return false;
  const { choice, cost } = best;
  const isSure = second === undefined || second.cost - cost >= costs.strange;
  fixer.chosen.set(choice.index, { column: choice.column, isSure });
  return choice.index !== index && goBack(fixer);
}

/** Returns to the preceding line, as if it had not been read. */
function goBack(fixer: YamlFixer): boolean {
  if (fixer.last === undefined) return false;
  const { reader, fixes } = fixer.last;
  const chosen = fixer.chosen;
  fixer.continueAs(reader);
  fixer.chosen = chosen;
  fixer.fixes.length = fixes;
  const start = fixer.lines[fixer.next]?.start ?? 0;
  const edits = fixer.moved?.fix.edits ?? [];
  while (edits.length > 1 && (edits.at(-1)?.start ?? 0) >= start) edits.pop();
  return true;
}

/** Whether this line or the preceding line may be at the wrong column. */
function isSuspicious(fixer: YamlFixer, line: Line): boolean {
  const written = fixer.textOf(line);
  if (fixer.before.kind === 'text' && (line.hasTab || line.column > (fixer.top?.column ?? -1))) {
    const isKey = line.hasTab ? keyIn(written) !== undefined : looksLikeKey(written);
    if (!isKey && !isDash(written)) return false;
  }
  if (line.hasTab || !fitsAt(fixer, line.column, written)) return true;
  if (fixer.before.kind === 'open') {
    const parent = fixer.top?.column;
    const isItem = startsItem(fixer, line.column, written);
    const usual = parent === undefined ? 0 : parent + 2;
    if (line.column !== usual && !(isItem && line.column === parent)) return true;
  }
  return columnElsewhere(fixer, line, written) !== undefined;
}

/** The possible columns for this line, and those for the preceding line. */
function choicesFor(fixer: YamlFixer, index: number, line: Line): Choice[] {
  const written = fixer.textOf(line);
  const own = columnsFor(fixer, line, written);
  // The intended width of a tab is unknown, so every open list or map is possible.
  if (line.hasTab) return [...own].map((column) => ({ index, column }));
  if (fitsAt(fixer, line.column, written)) own.add(line.column);
  const choices = [...own].map((column) => ({ index, column }));
  const before = fixer.last === undefined ? undefined : fixer.lines[fixer.last.index];
  if (fixer.last === undefined || before === undefined || before.hasTab) return choices;
  const { index: last, reader } = fixer.last;
  if (fixer.chosen.has(last)) return choices;
  const columns = columnsFor(reader, before, fixer.textOf(before));
  for (const column of [line.column, line.column - 2]) if (column >= 0) columns.add(column);
  columns.delete(before.column);
  return [...choices, ...[...columns].map((column) => ({ index: last, column }))];
}

/** The columns of the open lists or maps to which the line can belong, and the column of a new one. */
function columnsFor(fixer: YamlFixer, line: Line, written: string): Set<number> {
  const kind = isDash(written) ? 'list' : 'map';
  const columns = new Set(fixer.levels.filter((level) => level.kind === kind).map(({ column }) => column));
  const top = fixer.top;
  if (fixer.before.kind !== 'open') return columns;
  columns.add(top === undefined ? 0 : top.column + 2);
  if (top === undefined) return columns;
  if (kind === 'list') columns.add(top.column);
  const first = firstColumn(fixer, line, written, top);
  if (first !== undefined) columns.add(first);
  return columns;
}

/** The cost of the preceding line as it was read. */
function costBefore(fixer: YamlFixer, index: number): number {
  if (fixer.last === undefined) return 0;
  const trial = fixer.last.reader.fork();
  while (trial.next < index) readNextLine(trial);
  return trial.cost ?? 0;
}

/** The cost of a choice, including the lines that follow; undefined after too many attempts. */
function costOf(fixer: YamlFixer, { index, column }: Choice, current: number): number | undefined {
  const reader = index === current ? fixer : (fixer.last?.reader ?? fixer);
  const trial = reader.fork();
  trial.chosen.set(index, { column, isSure: false });
  const end = Math.min(current + maxAhead, fixer.lines.length);
  while (trial.next < end) {
    fixer.budget.tried += 1;
    if (fixer.budget.tried > maxTrials * fixer.lines.length) return undefined;
    readNextLine(trial);
  }
  const line = fixer.lines[index];
  const distance = line === undefined || line.hasTab ? 0 : Math.abs(column - line.column);
  return (trial.cost ?? 0) + distance / 100;
}

/**
 * Decides between columns that suit the following lines equally well: by the field, the number of tabs, and the depth of the preceding
 * line.
 */
function costOfTab(fixer: YamlFixer, line: Line, column: number): number {
  const written = fixer.textOf(line);
  const kind = isDash(written) ? 'list' : 'map';
  const level = fixer.levels.find((one) => one.column === column && one.kind === kind);
  const grade = gradeOf(level === undefined ? fixer.before.context : level.context, keyIn(written) ?? '');
  const isCounted = column === columnWith(fixer.text.slice(line.start, line.textStart), 2);
  const distance = Math.abs(column - (fixer.top?.column ?? column));
  return grade * 0.3 + (isCounted ? 0 : 0.2) + distance / 1000;
}
