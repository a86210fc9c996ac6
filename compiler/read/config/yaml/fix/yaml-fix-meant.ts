/** Finds the list or map to which a line is meant to belong, by its fields and by the adjacent lines. */
import { contextBelow, isField, type Context } from '../yaml-contexts.js';
import type { Line } from '../yaml-lines.js';
import { isDash, keyIn, looksLikeKey, opensBlock, gradeOf } from '../yaml-line-text.js';
import { type Level, maxMoved, maxVisits, type YamlFixer } from './yaml-fixer.js';

/** Maximum number of lines below the first line of a list or map that vote on its column. */
const maxVoters = 40;

/** Whether the line is valid at the column. */
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

/** The list or map to which a line belongs if it is meant to be at (or near) one of the columns. */
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
  // A new list or map that begins with this line, below a key without a value.
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
  // The position of an item without a key is unclear, so it is not moved far.
  return key === undefined && best !== undefined && best.distance > maxMoved ? undefined : best?.level;
}

/**
 * The column of a deeper map to which a line at a valid column probably belongs, because its key is a field there and the map continues
 * below.
 */
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
    // A line after a key with a value cannot be indented more, so this line is meant as a sibling of the next one.
    const isOver = following !== undefined && following.column > line.column && !opensBlock(written);
    const sibling = fixer.levels
      .slice(at + 1)
      .find(({ column, kind }) => kind === 'map' && column === following?.column);
    const isFirst = fixer.before.kind === 'open' && level === fixer.top;
    const column = sibling?.column ?? (isFirst ? following?.column : undefined);
    return isOver && looksLikeKey(fixer.textOf(following)) ? column : undefined;
  }
  // An authentication can have the name of a field of authentications: `keys:` followed by an indented `type:`.
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

/** The correct column for the first line of a list or map if the other lines are at a different column. */
export function columnOfFirst(fixer: YamlFixer, line: Line, written: string): number | undefined {
  const top = fixer.top;
  if (top === undefined || fixer.before.kind !== 'open') return undefined;
  if (line.column < top.column || (line.column === top.column && !isDash(written))) return undefined;
  if (keyIn(written) === undefined || /^-[^\s]/.test(written)) return undefined;
  const column = firstColumn(fixer, line, written, top);
  return column === line.column ? undefined : column;
}

/** The column used by the other lines of the list or map that begins with this line. */
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
  // With one vote against one, choose the usual indentation of two spaces.
  if (commonest === undefined && line.column === top.column + 2) return line.column;
  return commonest ?? columns[0]?.[0];
}

/** The lines after the first line of a list or map: each votes on the column of the first line. */
class Voters {
  private readonly isItem: boolean;
  private readonly behindDash: number;
  private readonly opens: boolean;
  private readonly context: Context;
  /** The context of the first line's value. */
  private readonly inside: Context;
  /** The column of the last key without a value: lines indented more belong to its value. */
  private open: number;
  /** The column of the first line in the value of the first line. */
  private first: number | undefined;

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
   * The line's vote on the first line's column. `same` if the first line is right, `over` after the end of the list or map, undefined if
   * the line shows nothing.
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
    // Text of a string with too little indentation does not close the list or map.
    if (!isDashed && key === undefined) return undefined;
    this.open = opensBlock(text) ? next.column : Number.POSITIVE_INFINITY;
    if (isDashed && !isItem) return undefined;
    const column = isDashed ? next.column : next.column - this.behindDash;
    return column < top.column || (column === top.column && !isItem) ? undefined : column;
  }

  /** Whether the line belongs to the value of a preceding key. A field that is valid only in the map of the first line does not. */
  private isInValue(next: Line, key: string | undefined, isDashed: boolean): boolean {
    const isFartherIn = isDashed ? next.column >= this.open : next.column > this.open;
    if (!isFartherIn) return false;
    this.first ??= next.column;
    // Fields of the same name can be farther in, such as 'request' of an instruction.
    if (next.column > this.first + 2) return true;
    const isSibling = !isDashed && key !== undefined && gradeOf(this.context, key) === 0;
    return (
      !isSibling ||
      !this.opens ||
      this.open > this.line.column + this.behindDash ||
      gradeOf(this.inside, key) === 0
    );
  }
}
