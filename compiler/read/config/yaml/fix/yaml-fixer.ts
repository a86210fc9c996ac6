/** The state of fixing a YAML text: its lines, the lists and maps that are currently open, and the fixes found so far. */
import type { Edit } from '../../../diagnostics/fix.js';
import type { Source } from '../../../source.js';
import { contextOfFile, type Context } from '../yaml-contexts.js';
import { linesOf, type Line } from '../yaml-lines.js';

/** An error in one line, and the edit that makes the line valid YAML. Offsets refer to the file. */
export interface YamlFix {
  readonly start: number;
  readonly end: number;
  readonly problem: string;
  readonly hint: string;
  readonly edits: Edit[];
  /** True if no other fix is plausible. */
  readonly isSafe: boolean;
  /** Set for tabs, which are reported once per file. */
  readonly isTab?: boolean;
}

/** An open list or map. */
export interface Level {
  readonly column: number;
  readonly kind: 'list' | 'map';
  readonly context: Context;
  /** The most recent line of the list or map. */
  line: Line;
  /** The keys so far, if it is a map. */
  readonly keys: Set<string>;
}

/**
 * The state after the previous line: `open` if its value is expected on the next lines, `text` if a string may continue, otherwise
 * `closed`.
 */
interface Before {
  readonly kind: 'open' | 'text' | 'closed';
  readonly context: Context;
}

/** Counters that are shared by all attempts and limit the search. */
interface Budget {
  looked: number;
  visited: number;
  tried: number;
}

/** Costs of a possible reading: an error, a line moved along with one above, a key in an unusual position, a less usual choice. */
export const costs = { error: 4, along: 1, strange: 2, unusual: 0.5 };

/** Maximum distance, in columns, for moving a line without further evidence. */
export const maxMoved = 3;

/** Maximum number of times that a line is examined from lines above. */
export const maxVisits = 32;

export class YamlFixer {
  readonly fixes: YamlFix[] = [];
  readonly lines: readonly Line[];
  levels: Level[] = [];
  before: Before;
  /** The index of the next line. */
  next = 0;
  /** Lines below a moved line are moved by the same distance unless they are valid elsewhere. */
  moved: { readonly from: number; readonly by: number; readonly fix: YamlFix } | undefined;
  /** True if the current line continues a list or map, false if it begins one. */
  isFurther = false;
  /** Columns chosen by reading ahead, by line index, and whether other columns are implausible. */
  chosen = new Map<number, { readonly column: number; readonly isSure: boolean }>();
  /** Lines for which a column has been chosen. */
  readonly judged = new Set<number>();
  /** The preceding line, and the fixer's state before that line. */
  last: { readonly index: number; readonly reader: YamlFixer; readonly fixes: number } | undefined;
  /** The cost of this attempt; undefined for the fixer that reports errors. */
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

  /** A copy that continues from the current state and only counts errors. */
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

  /** The innermost open list or map. */
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

/** The index of the first following line that is not to the right of the column, with tabs counted as one character. */
export function indexInside(fixer: YamlFixer, parent: number): number {
  let index = fixer.next;
  for (let line = fixer.lines[index]; line !== undefined && line.column > parent; line = fixer.lines[index])
    index += 1;
  return index;
}
