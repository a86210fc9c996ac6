/**
 * Finds the lines in which YAML is wrong, and how to mend each of them: one pass over the lines with a stack of the lists and maps
 * that are open. One class of above 200 lines, because each rule needs the same stack. In valid YAML it finds nothing to mend.
 */
import type { Edit } from '../diagnostics/fix.js';
import { position, type Source } from '../source.js';
import {
  contextBelow,
  contextOfFile,
  expectedKind,
  isField,
  strangeness,
  type Context,
} from './yaml-contexts.js';
import { colonOf, commentOf, endOfFlow, endOfQuote, linesOf, nameOfKey, type Line } from './yaml-lines.js';

/** A mistake in one line, and the change that makes YAML of it. Offsets are those of the file. */
export interface Mend {
  readonly start: number;
  readonly end: number;
  readonly problem: string;
  readonly hint: string;
  readonly edits: Edit[];
  /** Whether nothing else can be meant. */
  readonly isSafe: boolean;
  /** Mends with the same subject are told as one. */
  readonly subject?: string;
}

/** A list or map that further lines can belong to. */
interface Level {
  readonly column: number;
  readonly kind: 'list' | 'map';
  readonly context: Context;
  /** The line that belongs to it and was read last. */
  line: Line;
  /** Those of a map that have been read. */
  readonly keys: Set<string>;
}

/** A column for one of the lines, by its index. */
interface Choice {
  readonly index: number;
  readonly column: number;
}

/** What the line before leaves open: a value on the next lines, more of a text, or nothing. */
interface Before {
  readonly kind: 'open' | 'text' | 'closed';
  readonly context: Context;
}

const word = /^[\p{L}_][\p{L}\p{N}_-]*/u;

/** So many times the length of the file may be looked at ahead in vain; then unclosed quotes and brackets end on their line. */
const mostLooks = 8;

/** So many lines below the first one of a list or map are looked at for their column. */
const mostVoters = 40;

/** So far is a line moved of which nothing but its column is known. */
const mostMoved = 3;

/** So many times may each line be looked at from lines above it. */
const mostVisits = 32;

/** In more lists and maps than a configuration may have nothing is tried: each way to read has all of them. */
const mostLevels = 64;

/** So many lines are read ahead to see where a line belongs. */
const mostAhead = 30;

/** So many times may each line be read ahead; then the nearest list or map has to do. */
const mostTrials = 64;

/** What speaks against a way to read some lines: another mistake in them, or a line that is moved along with one above. */
const costs = { mistake: 4, along: 1, strange: 2, unusual: 0.5 };

/** What is counted of all ways to read the file that are tried. */
interface Budget {
  looked: number;
  visited: number;
  tried: number;
}

/** `text` has the offsets of the source; directives and marks of documents are gone from it. */
export function mendsOf(source: Source, text: string): Mend[] {
  return new Mender(source, text).run();
}

class Mender {
  readonly #mends: Mend[] = [];
  readonly #lines: readonly Line[];
  #levels: Level[] = [];
  #before: Before;
  /** The next line. */
  #next = 0;
  /** The lines below one that was moved are moved with it, where they fit nowhere else. */
  #moved: { readonly from: number; readonly by: number; readonly mend: Mend } | undefined;
  /** Whether the line that is read goes on with a list or map, and does not begin it. */
  #isFurther = false;
  #lastTab = -2;
  #tabs = 0;
  /** Columns that were found for lines by reading ahead, by their indices; and whether no other one could be meant. */
  #chosen = new Map<number, { readonly column: number; readonly isSure: boolean }>();
  /** Lines for which that has been done. */
  readonly #judged = new Set<number>();
  /** The line before, as it was found. */
  #last: { readonly index: number; readonly reader: Mender; readonly mends: number } | undefined;
  /** What speaks against this way to read; undefined where it is the one that is told. */
  #cost: number | undefined;

  constructor(
    private readonly source: Source,
    private readonly text: string,
    lines?: readonly Line[],
    private readonly budget: Budget = { looked: 0, visited: 0, tried: 0 },
  ) {
    this.#lines = lines ?? linesOf(text);
    this.#before = { kind: 'open', context: contextOfFile(text) };
  }

  run(): Mend[] {
    while (this.#next < this.#lines.length) {
      const index = this.#next;
      const line = this.#lines[index];
      if (line !== undefined && this.#judge(index, line)) continue;
      const isDeep = this.#levels.length > mostLevels;
      const last = isDeep ? undefined : { index, reader: this.#fork(), mends: this.#mends.length };
      this.#step();
      this.#last = last;
    }
    return this.#mends;
  }

  /** Reads the next line, and what of the lines behind it belongs to it. */
  #step(): void {
    const line = this.#lines[this.#next];
    this.#next += 1;
    if (line !== undefined && !/^(?:---|\.\.\.|%)/.test(this.text.slice(line.start, line.start + 3)))
      this.#line(line);
  }

  /** Another one that goes on from here: what it finds is counted, and not told. */
  #fork(): Mender {
    const other = new Mender(this.source, this.text, this.#lines, this.budget);
    other.#continueAs(this);
    other.#cost = 0;
    return other;
  }

  #continueAs(other: Mender): void {
    this.#levels = other.#levels.map((level) => ({ ...level, keys: new Set(level.keys) }));
    this.#before = other.#before;
    this.#next = other.#next;
    this.#moved = other.#moved;
    this.#lastTab = other.#lastTab;
    this.#tabs = other.#tabs;
    this.#chosen = new Map(other.#chosen);
  }

  /**
   * Finds the column of a line that may be wrong, or of the one before it, by reading ahead in all ways; true where reading has to go
   * on with the one before.
   */
  #judge(index: number, line: Line): boolean {
    if (this.#levels.length > mostLevels || this.#judged.has(index) || !this.#isSuspicious(line))
      return false;
    this.#judged.add(index);
    const written = this.#costBefore(index);
    const ways: { readonly choice: Choice; readonly cost: number }[] = [];
    // A line that holds no key tells nothing of where it belongs.
    const isNameless = keyIn(this.#textOf(line)) === undefined && !line.hasTab;
    for (const choice of this.#choicesFor(index, line)) {
      const isFar = choice.index !== index || Math.abs(choice.column - line.column) > mostMoved;
      if (isNameless && isFar) continue;
      const cost = this.#costOf(choice, index);
      if (cost === undefined) return false;
      ways.push({ choice, cost: cost + (choice.index === index ? written : costs.unusual) });
    }
    const [best, second] = ways.sort((a, b) => a.cost - b.cost);
    if (best === undefined) return false;
    const { choice, cost } = best;
    const isSure = second === undefined || second.cost - cost >= costs.strange;
    this.#chosen.set(choice.index, { column: choice.column, isSure });
    return choice.index !== index && this.#goBack();
  }

  /** To the line before this one, as if it had not been read. */
  #goBack(): boolean {
    if (this.#last === undefined) return false;
    const { reader, mends } = this.#last;
    const chosen = this.#chosen;
    this.#continueAs(reader);
    this.#chosen = chosen;
    this.#mends.length = mends;
    const start = this.#lines[this.#next]?.start ?? 0;
    const edits = this.#moved?.mend.edits ?? [];
    while (edits.length > 1 && (edits.at(-1)?.start ?? 0) >= start) edits.pop();
    return true;
  }

  /** Whether a line may stand at the wrong column, or the one before it. */
  #isSuspicious(line: Line): boolean {
    const written = this.#textOf(line);
    if (this.#before.kind === 'text' && (line.hasTab || line.column > (this.#top?.column ?? -1))) {
      if (!looksLikeKey(written) && !isDash(written)) return false;
    }
    if (line.hasTab || !this.#fits(line.column, written)) return true;
    if (this.#before.kind === 'open') {
      const parent = this.#top?.column;
      const isItem = this.#isItem(line.column, written);
      const usual = parent === undefined ? 0 : parent + 2;
      if (line.column !== usual && !(isItem && line.column === parent)) return true;
    }
    return this.#isElsewhere(line, written) !== undefined;
  }

  /** The columns at which this line, or else the one before it, could be meant. */
  #choicesFor(index: number, line: Line): Choice[] {
    const written = this.#textOf(line);
    const own = this.#columnsFor(line, written);
    if (line.hasTab) {
      const before = this.text.slice(line.start, line.textStart);
      const widths = new Set([1, 2, 3, 4, 8].map((width) => columnWith(before, width)));
      const fitting = [...own].filter((column) => widths.has(column));
      return (fitting.length > 0 ? fitting : [...own]).map((column) => ({ index, column }));
    }
    if (this.#fits(line.column, written)) own.add(line.column);
    const choices = [...own].map((column) => ({ index, column }));
    const before = this.#last === undefined ? undefined : this.#lines[this.#last.index];
    if (this.#last === undefined || before === undefined || before.hasTab) return choices;
    const { index: last, reader } = this.#last;
    if (this.#chosen.has(last)) return choices;
    const columns = reader.#columnsFor(before, this.#textOf(before));
    for (const column of [line.column, line.column - 2]) if (column >= 0) columns.add(column);
    columns.delete(before.column);
    return [...choices, ...[...columns].map((column) => ({ index: last, column }))];
  }

  /** The columns of the open lists or maps that the line could belong to, and that of a new one. */
  #columnsFor(line: Line, written: string): Set<number> {
    const kind = isDash(written) ? 'list' : 'map';
    const columns = new Set(this.#levels.filter((level) => level.kind === kind).map(({ column }) => column));
    const top = this.#top;
    if (this.#before.kind !== 'open') return columns;
    columns.add(top === undefined ? 0 : top.column + 2);
    if (top === undefined) return columns;
    if (kind === 'list') columns.add(top.column);
    const first = this.#firstColumn(line, written, top);
    if (first !== undefined) columns.add(first);
    return columns;
  }

  /** What speaks against the line before as it was read. */
  #costBefore(index: number): number {
    if (this.#last === undefined) return 0;
    const trial = this.#last.reader.#fork();
    while (trial.#next < index) trial.#step();
    return trial.#cost ?? 0;
  }

  /** What speaks against a choice in the lines that follow; undefined where too much has been tried. */
  #costOf({ index, column }: Choice, current: number): number | undefined {
    const reader = index === current ? this : (this.#last?.reader ?? this);
    const trial = reader.#fork();
    trial.#chosen.set(index, { column, isSure: false });
    const end = Math.min(current + mostAhead, this.#lines.length);
    while (trial.#next < end) {
      this.budget.tried += 1;
      if (this.budget.tried > mostTrials * this.#lines.length) return undefined;
      trial.#step();
    }
    const distance = Math.abs(column - (this.#lines[index]?.column ?? column));
    return (trial.#cost ?? 0) + distance / 100;
  }

  #add(cost: number): void {
    if (this.#cost !== undefined) this.#cost += cost;
  }

  #line(line: Line): void {
    const written = this.text.slice(line.textStart, line.end);
    const column = line.hasTab ? this.#tab(line, written) : this.#columnOf(line, written);
    if (column === undefined) return;
    if (this.#continues(column, written)) return;
    const isItem = this.#isItem(column, written);
    if (this.#before.kind === 'open' && this.#top !== undefined) {
      const isEmpty = column < this.#top.column || (column === this.#top.column && !isItem);
      if (isEmpty) this.#add(costs.strange);
    }
    this.#enter(line, column, isItem);
    if (isItem && !isDash(written)) {
      const hint = `Write '- ' with a space after the dash.`;
      const key = /^-[^:]*:/.exec(written)?.[0] ?? '-';
      this.#tell(line.textStart, line.textStart + key.length, 'missing space after the dash of a list item', {
        hint: word.test(key.slice(1)) ? `Write '- ${key.slice(1)}' instead of '${key}'.` : hint,
        edits: [insertion(line.textStart + 1, ' ')],
      });
      this.#content(line, line.textStart + 1, column + 2, this.#top?.context);
    } else this.#content(line, line.textStart, column, this.#top?.context);
  }

  get #top(): Level | undefined {
    return this.#levels.at(-1);
  }

  /** More of a text that began on a line above. */
  #continues(column: number, written: string): boolean {
    return this.#before.kind === 'text' && column > (this.#top?.column ?? -1) && !looksLikeKey(written);
  }

  /** Whether a line can stand there as it is. */
  #fits(column: number, written: string): boolean {
    const top = this.#top;
    if (top === undefined) return true;
    if (column > top.column)
      return this.#before.kind === 'open' || (this.#before.kind === 'text' && !looksLikeKey(written));
    const isItem = isDash(written) || /^-[\p{L}_]/u.test(written);
    return this.#levels.some((level) => {
      if (level.column !== column) return false;
      if (level.kind === 'list') return isItem;
      return !isItem || (level === top && this.#before.kind === 'open') || !isDash(written);
    });
  }

  #columnOf(line: Line, written: string): number | undefined {
    const { column } = line;
    if (/^(?:\/\/|\/\*|--)(?!-)/.test(written) && !looksLikeKey(written)) {
      const sign = written.slice(0, 2);
      this.#tell(line.textStart, line.end, `a comment begins with '#', not with '${sign}'`, {
        hint: "Write '#' instead.",
        edits: [{ start: line.textStart, end: line.textStart + 2, text: '#' }],
        isSafe: sign !== '/*',
      });
      return undefined;
    }
    const chosen = this.#chosen.get(this.#next - 1);
    if (chosen !== undefined && chosen.column !== column) {
      const kind = isDash(written) ? 'list' : 'map';
      const level = this.#levels.findLast((one) => one.column === chosen.column && one.kind === kind);
      return this.#move(line, chosen.column, level, chosen.isSure);
    }
    if (chosen !== undefined || this.#fits(column, written)) {
      const meant =
        chosen === undefined
          ? (this.#isElsewhere(line, written) ?? this.#firstElsewhere(line, written))
          : undefined;
      if (meant !== undefined) return this.#move(line, meant);
      if (this.#moved !== undefined && column <= this.#moved.from) this.#moved = undefined;
      return column;
    }
    if (this.#moved !== undefined && column > this.#moved.from) {
      const moved = column + this.#moved.by;
      if (this.#fits(moved, written)) {
        if (this.#cost === undefined) this.#moved.mend.edits.push(indentation(line, moved));
        this.#add(costs.along);
        return moved;
      }
    }
    const level = this.#meantLevel([column], line, written);
    return level === undefined ? undefined : this.#move(line, level.column, level);
  }

  /** Moves a line, of which this is told, to the column. */
  #move(line: Line, column: number, level?: Level, isSure = this.#isSure(level, this.#textOf(line))): number {
    const isDeeper = line.column > (this.#top?.column ?? 0) && this.#before.kind !== 'open';
    const like = level === undefined ? '' : `, like line ${position(this.source, level.line.textStart).line}`;
    const mend = this.#tell(
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
    this.#moved = { from: line.column, by: column - line.column, mend };
    return column;
  }

  /** Whether no other list or map that is open could be meant. */
  #isSure(level: Level | undefined, written: string): boolean {
    if (level === undefined) return false;
    const key = keyIn(written);
    return (
      key !== undefined &&
      isField(level.context, key) === true &&
      this.#levels.every((other) => other.column === level.column || isField(other.context, key) === false)
    );
  }

  /** The list or map that a line belongs to which may have been meant for one of the columns. */
  #meantLevel(columns: readonly number[], line: Line, written: string): Level | undefined {
    const kind = isDash(written) ? 'list' : 'map';
    const key = keyIn(written);
    const levels = this.#levels.filter((level) => level.kind === kind);
    const { context } = this.#before;
    const top = this.#top;
    // What begins with this line, below a key without a value.
    if (this.#before.kind === 'open' && top !== undefined)
      levels.push({
        column: this.#firstColumn(line, written, top) ?? top.column + 2,
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
    // An item that holds no key tells nothing of where it belongs.
    return key === undefined && best !== undefined && best.distance > mostMoved ? undefined : best?.level;
  }

  /** The column of a line that stands at one that fits, but is a field of a map farther in that goes on below it. */
  #isElsewhere(line: Line, written: string): number | undefined {
    const key = keyIn(written);
    const at = this.#levels.findLastIndex(({ column, kind }) => column === line.column && kind === 'map');
    const level = this.#levels[at];
    if (key === undefined || isDash(written) || level === undefined) return undefined;
    if (isField(level.context, key) === true) return undefined;
    const inner = this.#levels
      .slice(at + 1)
      .findLast(({ context, kind }) => kind === 'map' && isField(context, key) === true);
    const following = this.#lines[this.#next];
    if (inner === undefined) {
      // Behind a value nothing is farther in: the next line is a sibling, and so this one is.
      const isOver = following !== undefined && following.column > line.column && !opensBlock(written);
      const sibling = this.#levels
        .slice(at + 1)
        .find(({ column, kind }) => kind === 'map' && column === following?.column);
      const isFirst = this.#before.kind === 'open' && level === this.#top;
      const column = sibling?.column ?? (isFirst ? following?.column : undefined);
      return isOver && looksLikeKey(this.#textOf(following)) ? column : undefined;
    }
    for (let index = this.#next; index < this.#lines.length; index += 1) {
      const next = this.#lines[index];
      this.budget.visited += 1;
      if (next === undefined || this.budget.visited > mostVisits * this.#lines.length) return undefined;
      if (next.column > inner.column) continue;
      const other = keyIn(this.#textOf(next));
      return next.column === inner.column && other !== undefined && isField(inner.context, other) === true
        ? inner.column
        : undefined;
    }
    return undefined;
  }

  #textOf(line: Line): string {
    return this.text.slice(line.textStart, line.end);
  }

  /** The column of the first line of a list or map when the others of it stand at another one. */
  #firstElsewhere(line: Line, written: string): number | undefined {
    const top = this.#top;
    if (top === undefined || this.#before.kind !== 'open') return undefined;
    if (line.column < top.column || (line.column === top.column && !isDash(written))) return undefined;
    if (keyIn(written) === undefined || /^-[^\s]/.test(written)) return undefined;
    const column = this.#firstColumn(line, written, top);
    return column === line.column ? undefined : column;
  }

  /** The column at which the lines begin that go on with the list or map which begins with this line. */
  #firstColumn(line: Line, written: string, top: Level): number | undefined {
    const isItem = isDash(written);
    const behindDash = isItem ? (/^-[ \t]*/.exec(written)?.[0].length ?? 2) : 0;
    const opens = opensBlock(written);
    const { context } = this.#before;
    const inside = contextBelow(context, keyIn(written) ?? '');
    const votes = new Map<number, number>();
    // What is farther in than a key without a value is that value.
    let open = opens ? line.column + behindDash : Number.POSITIVE_INFINITY;
    for (const next of this.#lines.slice(this.#next, this.#next + mostVoters)) {
      const text = this.#textOf(next);
      const key = keyIn(text);
      const isDashed = isDash(text);
      if (next.column < top.column || (next.column === top.column && !(isItem && isDashed))) break;
      if (next.hasTab) continue;
      if (next.column === line.column && isDashed === isItem && !line.hasTab) return line.column;
      if (isDashed ? next.column >= open : next.column > open) {
        const isSibling = !isDashed && key !== undefined && gradeOf(context, key) === 0;
        if (!isSibling || !opens || open > line.column + behindDash || gradeOf(inside, key) === 0) continue;
      }
      open = opensBlock(text) ? next.column : Number.POSITIVE_INFINITY;
      if (isDashed ? !isItem : key === undefined) continue;
      const column = isDashed ? next.column : next.column - behindDash;
      if (column < top.column || (column === top.column && !isItem)) continue;
      votes.set(column, (votes.get(column) ?? 0) + 1);
    }
    if (votes.has(line.column) && !line.hasTab) return line.column;
    const columns = [...votes].sort(([a], [b]) => a - b);
    const most = columns.find(([, count]) => count > 1)?.[0];
    // One line against another: the usual two spaces are right.
    if (most === undefined && line.column === top.column + 2) return line.column;
    return most ?? columns[0]?.[0];
  }

  /** The column that the tabs before a line stand for. */
  #tab(line: Line, written: string): number | undefined {
    const before = this.text.slice(line.start, line.textStart);
    const widths = [4, 2, 8, 1, 3].map((width) => columnWith(before, width));
    // Inside a text YAML takes tabs for blanks.
    if (this.#before.kind === 'text' && !looksLikeKey(written) && !isDash(written)) return undefined;
    const chosen = this.#chosen.get(this.#next - 1);
    const level = this.#meantLevel(widths, line, written);
    const column = chosen?.column ?? level?.column ?? widths.find((width) => this.#fits(width, written));
    if (column === undefined) return undefined;
    if (this.#lastTab !== this.#next - 1) this.#tabs += 1;
    this.#lastTab = this.#next;
    this.#tell(line.start, line.textStart, 'tab in the indentation', {
      hint: 'Indent with spaces.',
      edits: [indentation(line, column)],
      isSafe: chosen?.isSure ?? this.#isSure(level, written),
      subject: `tabs ${this.#tabs}`,
    });
    return column;
  }

  #isItem(column: number, written: string): boolean {
    if (isDash(written)) return true;
    if (!/^-[\p{L}_][\p{L}\p{N}_-]*:(?:\s|$)/u.test(written)) return false;
    if (this.#levels.some((level) => level.kind === 'list' && level.column === column)) return true;
    const next = this.#lines[this.#next];
    if (this.#before.kind !== 'open' || next === undefined) return false;
    const isBesideItem = next.column === column && isDash(this.#textOf(next));
    return isBesideItem || (next.column === column + 2 && !/:$/.test(written));
  }

  /** Closes what ends before this line, and opens what begins with it. */
  #enter(line: Line, column: number, isItem: boolean): void {
    for (let top = this.#top; top !== undefined; top = this.#top) {
      const isOver = top.column > column || (top.column === column && top.kind === 'list' && !isItem);
      if (!isOver) break;
      this.#levels.pop();
    }
    const top = this.#top;
    const kind = isItem ? 'list' : 'map';
    this.#isFurther = top?.column === column && top.kind === kind;
    if (top !== undefined && this.#isFurther) top.line = line;
    else {
      const { context } = this.#before;
      const parent = top?.column;
      this.#levels.push({ column, kind, context, line, keys: new Set() });
      const isUsual = column === (parent === undefined ? 0 : parent + 2) || (isItem && column === parent);
      if (!isUsual) this.#add(costs.unusual);
      const expected = expectedKind(context);
      if (expected !== undefined && expected !== kind) this.#add(costs.strange);
    }
  }

  /** What stands behind the indentation and dashes. */
  #content(line: Line, from: number, column: number, context: Context): void {
    let at = from;
    let itemColumn = column;
    let own = context;
    let written = this.text.slice(at, line.end);
    const isBehindDash = isDash(written) || from > line.textStart;
    while (isDash(written) || (at === from && from > line.textStart && written !== '')) {
      const blanks = /^-?[ \t]*/.exec(written)?.[0].length ?? 1;
      // A space that is missing behind the dash has been counted.
      itemColumn += written.startsWith('-') ? blanks : 0;
      at += blanks;
      written = this.text.slice(at, line.end);
      if (written === '' || written.startsWith('#')) {
        this.#before = { kind: 'open', context: own };
        return;
      }
      if (isDash(written)) {
        own = undefined;
        this.#levels.push({ column: itemColumn, kind: 'list', context: own, line, keys: new Set() });
      } else break;
    }
    const next = this.#lines[this.#next];
    // Two spaces behind the dash of the first line, and one would be in line with the others.
    if (
      isBehindDash &&
      itemColumn > column + 2 &&
      next?.column === column + 2 &&
      keyIn(written) !== undefined
    ) {
      const hint = 'Write one space after the dash.';
      const problem = 'the lines of this list item begin at different columns';
      const begin = at - (itemColumn - column - 2);
      this.#tell(line.textStart, line.end, problem, { hint, edits: [{ start: begin, end: at, text: '' }] });
      itemColumn = column + 2;
    }
    const properties = /^(?:[&!][^\s,[\]{}]*[ \t]+)+/.exec(written)?.[0].length ?? 0;
    if (/^[?:](?:\s|$)/.test(written) || /^[&!]\S*$/.test(written)) {
      this.#before = { kind: 'open', context: undefined };
      return;
    }
    at += properties;
    written = written.slice(properties);
    const isMapEntry =
      !isBehindDash ||
      next?.column === itemColumn ||
      (next !== undefined && next.column > itemColumn && isField(own, written) === true);
    const colon = colonOf(written);
    if (colon !== undefined) {
      if (isBehindDash)
        this.#levels.push({ column: itemColumn, kind: 'map', context: own, line, keys: new Set() });
      const key = nameOfKey(written.slice(0, colon));
      this.#key(own, key, /^\s*[^\s#]/.test(written.slice(colon + 1)));
      this.#value(line, at + colon + 1, itemColumn, contextBelow(own, key));
      return;
    }
    const mended = isMapEntry ? this.#withoutColon(line, at, itemColumn, own) : undefined;
    if (mended !== undefined) {
      if (isBehindDash)
        this.#levels.push({ column: itemColumn, kind: 'map', context: own, line, keys: new Set() });
      this.#key(own, mended.key, /\S/.test(this.text.slice(mended.value, line.end)));
      this.#value(line, mended.value, itemColumn, contextBelow(own, mended.key));
      return;
    }
    if (!isBehindDash && !this.#isFurther) this.#levels.pop();
    this.#value(line, at, isBehindDash ? column : (this.#top?.column ?? -1), undefined);
  }

  /** Counts what speaks against a key of the map that is read. */
  #key(context: Context, key: string, isInline: boolean): void {
    const keys = this.#top?.keys;
    if (keys === undefined || key === '<<') return;
    if (this.#cost !== undefined) this.#add(strangeness(context, key, { isInline, others: keys }));
    keys.add(key);
  }

  /** Mends a line of a map in which no colon makes a key. */
  #withoutColon(
    line: Line,
    at: number,
    column: number,
    context: Context,
  ): { readonly key: string; readonly value: number } | undefined {
    const whole = this.text.slice(at, line.end);
    const written = whole.slice(0, commentOf(whole));
    const end = at + written.length;
    if (/^['"]/.test(written)) return this.#quotedKey(line, at, written);
    const first = word.exec(written)?.[0];
    if (first === undefined) return this.#nameWithoutColon(at, written, column, context);
    if (!this.#isInMap(column)) return undefined;
    const isKnown = isField(context, first);
    const rest = written.slice(first.length);
    if (/^:[^\s:/]/.test(rest) || (/^:\S/.test(rest) && isKnown === true)) {
      const colon = at + first.length + 1;
      this.#tell(at, colon, "missing space after ':'", {
        hint: `Write '${first}: ' with a space after the colon.`,
        edits: [insertion(colon, ' ')],
      });
      return { key: first, value: colon };
    }
    const sign = /^[ \t]*(?:=>?|;)[ \t]*/.exec(rest)?.[0];
    if (sign !== undefined && isKnown === true) {
      const start = at + first.length;
      this.#tell(at, end, `'${sign.trim()}' instead of a colon`, {
        hint: `Write '${first}: '.`,
        edits: [{ start, end: start + sign.length, text: ': ' }],
      });
      return { key: first, value: start + sign.length };
    }
    if (rest === '' || (isKnown !== true && this.#opensBlock(column))) {
      return this.#nameWithoutColon(at, written, column, context);
    }
    if (!/^[ \t]/.test(rest)) return undefined;
    this.#tell(at, end, "missing ':' in this line", {
      hint:
        isKnown === true
          ? `Write '${first}:' with a colon and a space.`
          : 'Write a key, a colon, a space and the value, such as type: READ.',
      edits: [insertion(at + first.length, ':')],
      isSafe: isKnown === true,
    });
    return { key: first, value: at + first.length };
  }

  /** A key whose value are the lines below it: the colon belongs at its end. */
  #nameWithoutColon(
    at: number,
    written: string,
    column: number,
    context: Context,
  ): { readonly key: string; readonly value: number } | undefined {
    const isKey = /^['"]?[\p{L}\p{N}_$/]/u.test(written) && this.#isInMap(column);
    if (!isKey || written.endsWith(':') || colonOf(`${written}:`) !== written.length) return undefined;
    if (!this.#opensBlock(column) && isField(context, written) !== true) return undefined;
    const end = at + written.length;
    this.#tell(at, end, "missing ':' in this line", {
      hint: 'Write a colon at its end.',
      edits: [insertion(end, ':')],
      isSafe: this.#opensBlock(column),
    });
    return { key: nameOfKey(written), value: end };
  }

  #quotedKey(
    line: Line,
    at: number,
    written: string,
  ): { readonly key: string; readonly value: number } | undefined {
    const quote = written.charAt(0);
    const close = endOfQuote(written, 0, written.length);
    if (close === undefined) {
      if (!written.endsWith(':') || this.#quoteEnd(line, at, this.#top?.column ?? -1) !== undefined)
        return undefined;
      const end = at + written.length - 1;
      this.#tell(at, line.end, 'unclosed quote', {
        hint: `Write another ${quote} where the string ends.`,
        edits: [insertion(end, quote)],
      });
      return { key: written.slice(1, -1), value: end + 1 };
    }
    const column = this.#top?.column ?? 0;
    if (close < written.length) {
      const colon = at + close + 1;
      if (/^:\S/.test(written.slice(close)) && this.#isInMap(column)) {
        this.#tell(at, colon, "missing space after ':'", {
          hint: 'Write a space after the colon.',
          edits: [insertion(colon, ' ')],
        });
        return { key: nameOfKey(written.slice(0, close)), value: colon };
      }
      return undefined;
    }
    return this.#nameWithoutColon(at, written, column, undefined);
  }

  /** Whether the line that is read is an entry of a map for sure: others are before or behind it. */
  #isInMap(column: number): boolean {
    const top = this.#top;
    if (top?.kind === 'map' && top.column === column && this.#isFurther) return true;
    const following = this.#lines[this.#next];
    if (following !== undefined && following.column > column && looksLikeKey(this.#textOf(following)))
      return true;
    for (let index = this.#next; index < this.#lines.length; index += 1) {
      const next = this.#lines[index];
      this.budget.visited += 1;
      if (next === undefined || this.budget.visited > mostVisits * this.#lines.length) return false;
      if (next.column < column) return false;
      if (next.column === column) return keyIn(this.text.slice(next.textStart, next.end)) !== undefined;
    }
    return false;
  }

  /** Whether the lines below are the value of the one that is read. */
  #opensBlock(column: number): boolean {
    const next = this.#lines[this.#next];
    if (next === undefined) return false;
    const isItem = isDash(this.text.slice(next.textStart, next.end));
    return next.column > column || (next.column === column && isItem);
  }

  /** What stands behind a colon or dash. `parent` is the column that further lines of the value have to be right of. */
  #value(line: Line, from: number, parent: number, context: Context): void {
    const blanks = /[ \t]*(?:[&!][^\s,[\]{}]*(?:[ \t]+|$))*/y;
    const text = this.text.slice(from, line.end);
    blanks.test(text);
    const at = from + blanks.lastIndex;
    const written = this.text.slice(at, line.end);
    const sign = written.charAt(0);
    this.#before = { kind: 'closed', context: undefined };
    if (written === '' || sign === '#') this.#before = { kind: 'open', context };
    else if (sign === '"' || sign === "'") this.#quoted(line, at, parent);
    else if (sign === '{' || sign === '[') this.#flow(line, at, parent);
    else if (/^[|>][-+\d]*(?:[ \t]+#.*)?$/.test(written)) this.#block(parent, /\d/.test(written));
    else if (!/^[*@`%,\]}|>]/.test(written) && colonOf(written) === undefined)
      this.#before = { kind: commentOf(written) < written.length ? 'closed' : 'text', context: undefined };
  }

  /** The index of the first line from the next one on that is not right of the column. */
  #indexAfter(parent: number): number {
    let index = this.#next;
    for (let line = this.#lines[index]; line !== undefined && line.column > parent; line = this.#lines[index])
      index += 1;
    return index;
  }

  /** Behind the quote that closes the one at `at` on one of the lines below, with nothing behind it. */
  #quoteEnd(line: Line, at: number, parent: number): number | undefined {
    if (this.budget.looked > mostLooks * this.text.length) return undefined;
    const last = this.#lines[this.#indexAfter(parent) - 1] ?? line;
    const end = endOfQuote(this.text, at, last.end);
    this.budget.looked += (end ?? last.end) - at;
    if (end === undefined) return undefined;
    const lineEnd = this.text.indexOf('\n', end);
    return /^\s*(?:$|#)/.test(this.text.slice(end, lineEnd === -1 ? undefined : lineEnd)) ? end : undefined;
  }

  #skipTo(offset: number): void {
    for (let line = this.#lines[this.#next]; line !== undefined && line.start < offset;) {
      this.#next += 1;
      line = this.#lines[this.#next];
    }
  }

  #quoted(line: Line, at: number, parent: number): void {
    if (endOfQuote(this.text, at, line.end) !== undefined) return;
    const end = this.#quoteEnd(line, at, parent);
    if (end !== undefined) {
      this.#skipTo(end);
      return;
    }
    const quote = this.text.charAt(at);
    const hasComment = commentOf(this.text.slice(at, line.end)) < line.end - at;
    this.#tell(at, line.end, 'unclosed quote', {
      hint: `Write another ${quote} where the string ends.`,
      edits: [{ start: at, end: at + 1, text: quote }, insertion(line.end, quote)],
      isSafe: !hasComment && !/["']/.test(this.text.slice(at + 1, line.end)),
    });
  }

  #flow(line: Line, at: number, parent: number): void {
    if (this.budget.looked > mostLooks * this.text.length) return;
    const after = this.#indexAfter(parent);
    const closer = this.#lines[after];
    const isClosed = closer !== undefined && /^[\]}]/.test(this.text.charAt(closer.textStart));
    const last = (isClosed ? closer : this.#lines[after - 1]) ?? line;
    const found = endOfFlow(this.text, at, last.end);
    if (found === 'mismatch') {
      this.#before = { kind: 'closed', context: undefined };
      return;
    }
    if ('end' in found) {
      this.#skipTo(found.end);
      return;
    }
    this.budget.looked += last.end - at;
    const own = endOfFlow(this.text, at, line.end);
    if (own === 'mismatch' || 'end' in own) return;
    const sign = this.text.charAt(at);
    if (own.quote !== undefined) {
      const quote = this.text.charAt(own.quote);
      const end = this.text.slice(own.quote, line.end).search(/[,}\]]/);
      const text = this.text.slice(own.quote, end === -1 ? line.end : own.quote + end);
      const to = own.quote + text.trimEnd().length;
      this.#tell(own.quote, to, 'unclosed quote', {
        hint: `Write another ${quote} where the string ends.`,
        edits: [{ start: own.quote, end: own.quote + 1, text: quote }, insertion(to, quote)],
        isSafe: false,
      });
      return;
    }
    const isHere = !/[,[{]$/.test(this.text.slice(at, line.end));
    const to = isHere ? line.end : last.end;
    const open = isHere ? own.open : found.open;
    this.#tell(at, at + 1, `unclosed ${sign}`, {
      hint: isHere ? `Write ${open} at the end of this line.` : `Write ${open} where it ends.`,
      edits: [insertion(to, open)],
      isSafe: isHere && !/[[{]/.test(this.text.slice(at + 1, line.end)),
    });
    if (!isHere) this.#skipTo(to);
  }

  /** Lines of a text behind `|` or `>`: they begin at the column of the first one or right of it. */
  #block(parent: number, isFixed: boolean): void {
    const after = this.#indexAfter(parent);
    const first = this.#lines[this.#next];
    const lines = this.#lines.slice(this.#next, after);
    this.#next = after;
    if (first === undefined || isFixed || first.hasTab) return;
    for (const line of lines) {
      if (line.hasTab && this.text.slice(line.start, line.textStart).indexOf('\t') < first.column) {
        this.#tell(line.start, line.textStart, 'tab in the indentation', {
          hint: 'Indent with spaces.',
          edits: [indentation(line, first.column)],
        });
      } else if (!line.hasTab && line.column < first.column) {
        this.#tell(line.textStart, line.end, 'this line of a string is indented less than its first line', {
          hint: `Indent it by ${first.column} spaces, like line ${position(this.source, first.textStart).line}.`,
          edits: [indentation(line, first.column)],
        });
      }
    }
  }

  #tell(
    start: number,
    end: number,
    problem: string,
    { hint, edits, isSafe = true, subject }: Pick<Mend, 'hint' | 'edits' | 'subject'> & { isSafe?: boolean },
  ): Mend {
    const mend = { start, end, problem, hint, edits, isSafe, ...(subject === undefined ? {} : { subject }) };
    if (this.#cost === undefined) this.#mends.push(mend);
    this.#add(costs.mistake);
    return mend;
  }
}

function isDash(written: string): boolean {
  return /^-(?:\s|$)/.test(written);
}

/** The key that a line begins with, behind its dashes. */
function keyIn(written: string): string | undefined {
  const behind = written.replace(/^(?:-[ \t]+)+/, '');
  const colon = colonOf(behind);
  if (colon !== undefined) return nameOfKey(behind.slice(0, colon));
  return undefined;
}

/** Whether a line below a text is no more of it: `key:` with a name as they are written. */
function looksLikeKey(written: string): boolean {
  const key = keyIn(written);
  return (
    key !== undefined &&
    (/^['"]/.test(written.replace(/^(?:-[ \t]+)+/, '')) ||
      /^(?:[A-Z]+ \/[^\s]*|[\p{L}_$/][^\s]*)$/u.test(key))
  );
}

/** Whether the value of the line's key is on the lines below. */
function opensBlock(written: string): boolean {
  return /[:-](?:[ \t]+(?:[|>][-+\d]*|[&!][^\s]*))?(?:[ \t]+#.*)?$/.test(written);
}

/** How well the key fits there: 0 for one of the fields, 2 where it is none of them. */
function gradeOf(context: Context, key: string): number {
  if (context === 'operations' && /^[A-Z]+ \//.test(key)) return 0;
  const known = isField(context, key);
  return known === undefined ? 1 : known ? 0 : 2;
}

function insertion(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

function indentation(line: Line, column: number): Edit {
  return { start: line.start, end: line.textStart, text: ' '.repeat(column) };
}

/** The column behind the indentation when tabs are so wide. */
function columnWith(before: string, width: number): number {
  let column = 0;
  for (const character of before) column += character === '\t' ? width : 1;
  return column;
}
