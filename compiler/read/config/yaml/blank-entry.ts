/**
 * The operations, datasources and other entries of sections in a source, used to blank out entries that are invalid YAML even after fixes.
 */
import type { Edit } from '../../diagnostics/fix.js';

interface Line {
  readonly start: number;
  readonly indentation: number;
}

/** A section entry: its range, and replacement text of the same length that keeps its name if possible. */
export interface BlankEntry {
  readonly start: number;
  readonly end: number;
  readonly edit: Edit;
}

/** The entries of a text. The lines are split only once. */
export class Entries {
  readonly #lines: readonly Line[];
  /** For each line: the line of its (unindented) section, and the line of its entry. */
  readonly #entries: (number | undefined)[] = [];
  readonly #nexts: number[];

  /** `root` is `entries` if entries begin without indentation. */
  constructor(
    private readonly text: string,
    root: 'sections' | 'entries',
  ) {
    this.#lines = linesOf(text);
    this.#nexts = this.#lines.map(() => this.#lines.length);
    let section: number | undefined;
    let entry: number | undefined;
    for (const [index, { indentation }] of this.#lines.entries()) {
      if (indentation === 0 && root === 'entries') {
        if (entry !== undefined) this.#nexts[entry] = index;
        entry = index;
      } else if (indentation === 0) {
        if (entry !== undefined) this.#nexts[entry] = index;
        section = index;
        entry = undefined;
      } else if (section !== undefined && indentation <= (this.#lines[section + 1]?.indentation ?? 0)) {
        if (entry !== undefined) this.#nexts[entry] = index;
        entry = index;
      }
      this.#entries.push(entry);
    }
  }

  /** The start of the entry at that offset; undefined outside of entries. */
  startAt(offset: number): number | undefined {
    const entry = this.#entries[this.#lineAt(offset)];
    return entry === undefined ? undefined : this.#lines[entry]?.start;
  }

  /** Blanks the content of the entry at that offset; undefined if there is no entry or if it is empty. */
  blank(offset: number): BlankEntry | undefined {
    const at = this.#lineAt(offset);
    const entry = this.#entries[at];
    const start = entry === undefined ? undefined : this.#lines[entry]?.start;
    if (entry === undefined || start === undefined) return undefined;
    const end = this.#lines[this.#nexts[entry] ?? this.#lines.length]?.start ?? this.text.length;
    const kept = at === entry ? placeholderKey(this.text, start) : nameOf(this.text.slice(start, end));
    const blank = kept + this.text.slice(start + kept.length, end).replaceAll(/[^\r\n]/g, ' ');
    if (blank === this.text.slice(start, end)) return undefined;
    return { start, end, edit: { start, end, text: blank } };
  }

  #lineAt(offset: number): number {
    let low = 0;
    let high = this.#lines.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#lines[middle]?.start ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** The name of the entry with its colon, kept so that references to the entry remain valid. */
function nameOf(entry: string): string {
  return /^ *(?:'[^'\n]*'|"[^"\n]*"|[^\s'"#:-][^:\n]*):(?=\s)/.exec(entry)?.[0] ?? '';
}

/** A key as long as the line, for an entry whose name is unreadable. */
function placeholderKey(text: string, start: number): string {
  const line = text.slice(start).split('\n', 1).join('').trimEnd();
  const indentation = line.length - line.replace(/^ +/, '').length;
  return line.length - indentation < 2
    ? ''
    : `${' '.repeat(indentation)}${'x'.repeat(line.length - indentation - 1)}:`;
}

/** Lines with content other than comments. */
function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (const match of text.matchAll(/^([ \t]*)[^\s#]/gm)) {
    lines.push({ start: match.index, indentation: match[1]?.length ?? 0 });
  }
  return lines;
}
