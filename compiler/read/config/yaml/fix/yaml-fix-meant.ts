/** Which list or map a line may be meant for: by its fields, and by the lines around it. */
import { contextBelow, isField, type Context } from '../yaml-contexts.js';
import type { Line } from '../yaml-lines.js';
import { isDash, keyIn, looksLikeKey, opensBlock, gradeOf } from '../yaml-line-text.js';
import { type Level, maxMoved, maxVisits, type YamlFixer } from './yaml-fixer.js';

/** Number of lines below the first one of a list or map that are looked at for their column. */
const maxVoters = 40;

/** Whether the line is valid as it is. */
export function fitsAt(fixer: YamlFixer, column: number, written: string): boolean {
  const top = fixer.top;
  if (top === undefined) return true;
  if (column > top.column)
    return fixer.before.kind === 'open' || (fixer.before.kind === 'text' && !looksLikeKey(written));
  const isItem = isDash(written) || /^-[\p{L}_]/u.test(written);
  return fixer.levels.some((level) => {
    if (level.column !== column) return false;
    if (level.kind === 'list') return isItem;
    return !isItem || (level === top && fixer.before.kind === 'open') || !isDash(written);
  });
}

/** The list or map that a line belongs to which may have been meant for one of the columns. */
export function meantLevel(
  fixer: YamlFixer,
  columns: readonly number[],
  line: Line,
  written: string,
): Level | undefined {
  const kind = isDash(written) ? 'list' : 'map';
  const key = keyIn(written);
  const levels = fixer.levels.filter((level) => level.kind === kind);
  const { context } = fixer.before;
  const top = fixer.top;
  // The list or map that begins with this line, below a key without a value.
  if (fixer.before.kind === 'open' && top !== undefined)
    levels.push({
      column: firstColumn(fixer, line, written, top) ?? top.column + 2,
      ...{ kind, context, line, keys: new Set<string>() },
    });
  const found = levels
    .map((level) => ({
      level,
      grade: key === undefined ? 1 : gradeOf(level.context, key),
      distance: Math.min(...columns.map((column) => Math.abs(level.column - column))),
    }))
    .sort((a, b) => a.grade - b.grade || a.distance - b.distance || b.level.column - a.level.column);
  const best = found[0];
  // An item without a key does not show where it belongs.
  return key === undefined && best !== undefined && best.distance > maxMoved ? undefined : best?.level;
}

/** The column of a line at a valid column that is a field of a deeper map which continues below it. */
export function columnElsewhere(fixer: YamlFixer, line: Line, written: string): number | undefined {
  const key = keyIn(written);
  const at = fixer.levels.findLastIndex(({ column, kind }) => column === line.column && kind === 'map');
  const level = fixer.levels[at];
  if (key === undefined || isDash(written) || level === undefined) return undefined;
  if (isField(level.context, key) === true) return undefined;
  const inner = fixer.levels
    .slice(at + 1)
    .findLast(({ context, kind }) => kind === 'map' && isField(context, key) === true);
  const following = fixer.lines[fixer.next];
  if (inner === undefined) {
    // Lines after a value are not indented more: the next line is a sibling, and so is this one.
    const isOver = following !== undefined && following.column > line.column && !opensBlock(written);
    const sibling = fixer.levels
      .slice(at + 1)
      .find(({ column, kind }) => kind === 'map' && column === following?.column);
    const isFirst = fixer.before.kind === 'open' && level === fixer.top;
    const column = sibling?.column ?? (isFirst ? following?.column : undefined);
    return isOver && looksLikeKey(fixer.textOf(following)) ? column : undefined;
  }
  // An authentication may be called like a field of authentications: `keys:` with `type:` farther in.
  const mayBeName = isField(level.context, key) === undefined && opensBlock(written);
  if (mayBeName && following?.column === inner.column) return undefined;
  for (let index = fixer.next; index < fixer.lines.length; index += 1) {
    const next = fixer.lines[index];
    fixer.budget.visited += 1;
    if (next === undefined || fixer.budget.visited > maxVisits * fixer.lines.length) return undefined;
    if (next.column > inner.column) continue;
    const other = keyIn(fixer.textOf(next));
    return next.column === inner.column && other !== undefined && isField(inner.context, other) === true
      ? inner.column
      : undefined;
  }
  return undefined;
}

/** The column of the first line of a list or map if its other lines are at another one. */
export function columnOfFirst(fixer: YamlFixer, line: Line, written: string): number | undefined {
  const top = fixer.top;
  if (top === undefined || fixer.before.kind !== 'open') return undefined;
  if (line.column < top.column || (line.column === top.column && !isDash(written))) return undefined;
  if (keyIn(written) === undefined || /^-[^\s]/.test(written)) return undefined;
  const column = firstColumn(fixer, line, written, top);
  return column === line.column ? undefined : column;
}

/** The column of the lines that continue the list or map which begins with this line. */
export function firstColumn(fixer: YamlFixer, line: Line, written: string, top: Level): number | undefined {
  const voters = new Voters(fixer, line, written, top);
  const votes = new Map<number, number>();
  for (const next of fixer.lines.slice(fixer.next, fixer.next + maxVoters)) {
    const vote = voters.voteOf(next);
    if (vote === 'over') break;
    if (vote === 'same') return line.column;
    if (vote !== undefined) votes.set(vote, (votes.get(vote) ?? 0) + 1);
  }
  if (votes.has(line.column) && !line.hasTab) return line.column;
  const columns = [...votes].sort(([a], [b]) => a - b);
  const commonest = columns.find(([, count]) => count > 1)?.[0];
  // One line against another: the usual two spaces are right.
  if (commonest === undefined && line.column === top.column + 2) return line.column;
  return commonest ?? columns[0]?.[0];
}

/** The lines after the first one of a list or map, in their order. */
class Voters {
  private readonly isItem: boolean;
  private readonly behindDash: number;
  private readonly opens: boolean;
  private readonly context: Context;
  /** Where the value of the first line is. */
  private readonly inside: Context;
  /** Lines indented more than a key without a value belong to its value. */
  private open: number;

  constructor(
    private readonly fixer: YamlFixer,
    private readonly line: Line,
    written: string,
    private readonly top: Level,
  ) {
    this.isItem = isDash(written);
    this.behindDash = this.isItem ? (/^-[ \t]*/.exec(written)?.[0].length ?? 2) : 0;
    this.opens = opensBlock(written);
    this.context = fixer.before.context;
    this.inside = contextBelow(this.context, keyIn(written) ?? '');
    this.open = this.opens ? line.column + this.behindDash : Number.POSITIVE_INFINITY;
  }

  /**
   * The column of the first line according to this one; undefined without evidence, `same` if the first line is right, `over` after the end
   * of the list or map.
   */
  voteOf(next: Line): number | 'same' | 'over' | undefined {
    const { line, top, isItem } = this;
    const text = this.fixer.textOf(next);
    const key = keyIn(text);
    const isDashed = isDash(text);
    if (next.column < top.column || (next.column === top.column && !(isItem && isDashed))) return 'over';
    if (next.hasTab) return undefined;
    if (next.column === line.column && isDashed === isItem && !line.hasTab) return 'same';
    if (this.isInValue(next, key, isDashed)) return undefined;
    // Part of a string that is indented less than it closes nothing.
    if (!isDashed && key === undefined) return undefined;
    this.open = opensBlock(text) ? next.column : Number.POSITIVE_INFINITY;
    if (isDashed && !isItem) return undefined;
    const column = isDashed ? next.column : next.column - this.behindDash;
    return column < top.column || (column === top.column && !isItem) ? undefined : column;
  }

  /** Whether it is part of the value of a key before it; a field that only the map of the first line has is not. */
  private isInValue(next: Line, key: string | undefined, isDashed: boolean): boolean {
    const isFartherIn = isDashed ? next.column >= this.open : next.column > this.open;
    if (!isFartherIn) return false;
    const isSibling = !isDashed && key !== undefined && gradeOf(this.context, key) === 0;
    return (
      !isSibling ||
      !this.opens ||
      this.open > this.line.column + this.behindDash ||
      gradeOf(this.inside, key) === 0
    );
  }
}
