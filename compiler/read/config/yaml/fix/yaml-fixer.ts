/** The lines of a YAML text, the lists and maps that are open at one of them, and the fixes found so far. */
import type { Edit } from '../../../diagnostics/fix.js';
import type { Source } from '../../../source.js';
import { contextOfFile, type Context } from '../yaml-contexts.js';
import { linesOf, type Line } from '../yaml-lines.js';

/** An error in one line, and the edit that makes it valid YAML. Offsets are those of the file. */
export interface YamlFix {
  readonly start: number;
  readonly end: number;
  readonly problem: string;
  readonly hint: string;
  readonly edits: Edit[];
  /** Whether nothing else can be meant. */
  readonly isSafe: boolean;
  /** Tabs of one file are reported as one. */
  readonly isTab?: boolean;
}

/** A list or map that further lines can belong to. */
export interface Level {
  readonly column: number;
  readonly kind: 'list' | 'map';
  readonly context: Context;
  /** The line that belongs to it and was read last. */
  line: Line;
  /** The keys that have been read, if it is a map. */
  readonly keys: Set<string>;
}

/** The state after the previous line: a value is expected on the next lines, a text may continue, or nothing is open. */
interface Before {
  readonly kind: 'open' | 'text' | 'closed';
  readonly context: Context;
}

/** Counters for all ways to read the file that are tried: they limit the search. */
interface Budget {
  looked: number;
  visited: number;
  tried: number;
}

/** The costs of a reading of some lines: another error in them, or a line that is moved together with one above. */
export const costs = { error: 4, along: 1, strange: 2, unusual: 0.5 };

/** The maximum distance, in columns, by which a line is moved if nothing but its column is known. */
export const maxMoved = 3;

/** Number of times that each line may be looked at from lines above it. */
export const maxVisits = 32;

export class YamlFixer {
  readonly fixes: YamlFix[] = [];
  readonly lines: readonly Line[];
  levels: Level[] = [];
  before: Before;
  /** The index of the next line. */
  next = 0;
  /** The lines below a moved line are moved with it, unless they are valid elsewhere. */
  moved: { readonly from: number; readonly by: number; readonly fix: YamlFix } | undefined;
  /** Whether the current line continues a list or map, and does not begin it. */
  isFurther = false;
  /** Columns that were found for lines by reading ahead, by their indices; and whether no other one could be meant. */
  chosen = new Map<number, { readonly column: number; readonly isSure: boolean }>();
  /** Lines for which that has been done. */
  readonly judged = new Set<number>();
  /** The line before, as it was found. */
  last: { readonly index: number; readonly reader: YamlFixer; readonly fixes: number } | undefined;
  /** The cost of this reading; undefined if it is the one that is reported. */
  cost: number | undefined;

  constructor(
    readonly source: Source,
    readonly text: string,
    lines?: readonly Line[],
    readonly budget: Budget = { looked: 0, visited: 0, tried: 0 },
  ) {
    this.lines = lines ?? linesOf(text);
    this.before = { kind: 'open', context: contextOfFile(source, text) };
  }

  /** Another fixer that continues from here: it counts errors, and does not report them. */
  fork(): YamlFixer {
    const other = new YamlFixer(this.source, this.text, this.lines, this.budget);
    other.continueAs(this);
    other.cost = 0;
    return other;
  }

  continueAs(other: YamlFixer): void {
    this.levels = other.levels.map((level) => ({ ...level, keys: new Set(level.keys) }));
    this.before = other.before;
    this.next = other.next;
    this.moved = other.moved;
    this.chosen = new Map(other.chosen);
  }

  /** The innermost list or map that is open. */
  get top(): Level | undefined {
    return this.levels.at(-1);
  }

  textOf(line: Line): string {
    return this.text.slice(line.textStart, line.end);
  }

  add(cost: number): void {
    if (this.cost !== undefined) this.cost += cost;
  }

  report(
    start: number,
    end: number,
    problem: string,
    {
      hint,
      edits,
      isSafe = true,
      isTab = false,
    }: Pick<YamlFix, 'hint' | 'edits' | 'isTab'> & { isSafe?: boolean },
  ): YamlFix {
    const fix = { start, end, problem, hint, edits, isSafe, isTab };
    if (this.cost === undefined) this.fixes.push(fix);
    this.add(costs.error);
    return fix;
  }
}

export function insertion(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

export function indentation(line: Line, column: number): Edit {
  return { start: line.start, end: line.textStart, text: ' '.repeat(column) };
}

/** The index of the first line from the next one on that is not right of the column, with tabs counted as one. */
export function indexInside(fixer: YamlFixer, parent: number): number {
  let index = fixer.next;
  for (let line = fixer.lines[index]; line !== undefined && line.column > parent; line = fixer.lines[index])
    index += 1;
  return index;
}
