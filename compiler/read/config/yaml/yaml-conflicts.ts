/** Finds Git conflict markers. */
import { withEdits } from '../../diagnostics/apply-fixes.js';
import type { Edit } from '../../diagnostics/fix.js';
import { position } from '../../source.js';
import type { YamlFixer } from './fix/yaml-fixer.js';

const marks = /^(?:<{7}|\|{7}|={7}|>{7})(?:[ \t][^\r\n]*)?\r?(?:\n|$)/gm;

interface Conflict {
  readonly start: number;
  /** The position after the last marker. */
  readonly end: number;
  /** Edits that remove everything except the lines of the first version. */
  readonly edits: Edit[];
}

/** The conflicts of a file, in order. The first version of each is used. */
export function conflictsIn(text: string): Conflict[] {
  const conflicts: Conflict[] = [];
  let from: number | undefined;
  let second: number | undefined;
  for (const { index, 0: line } of text.matchAll(marks)) {
    const end = index + line.length;
    if (line.startsWith('<')) {
      if (from !== undefined) conflicts.push(markAt(text, from));
      from = index;
      second = undefined;
    } else if (from !== undefined && line.startsWith('>') && second !== undefined) {
      const firstEnd = text.indexOf('\n', from) + 1;
      const edits = [remove(from, firstEnd), remove(second, end)];
      conflicts.push({ start: from, end, edits });
      from = undefined;
    } else if (from !== undefined && !line.startsWith('>')) second ??= index;
    else if (from === undefined) conflicts.push({ start: index, end, edits: [remove(index, end)] });
  }
  if (from !== undefined) conflicts.push(markAt(text, from));
  return conflicts;
}

/** A marker without its counterparts. */
function markAt(text: string, start: number): Conflict {
  const lineEnd = text.indexOf('\n', start);
  const end = lineEnd === -1 ? text.length : lineEnd + 1;
  return { start, end, edits: [remove(start, end)] };
}

function remove(start: number, end: number): Edit {
  return { start, end, text: '' };
}

/** The text with the unused parts replaced by spaces. */
export function withoutConflicts(text: string, conflicts: readonly Conflict[]): string {
  const blanks = conflicts
    .flatMap(({ edits }) => edits)
    .map(({ start, end }): Edit => {
      return { start, end, text: text.slice(start, end).replaceAll(/[^\r\n]/g, ' ') };
    });
  return withEdits(text, blanks);
}

export function reportConflicts(fixer: YamlFixer, conflicts: readonly Conflict[]): void {
  for (const { start, end, edits } of conflicts) {
    const { text } = fixer.source;
    const lineEnd = start + (/^[^\r\n]*/.exec(text.slice(start, end))?.[0].length ?? 0);
    const last = position(fixer.source, Math.max(start, end - 1)).line;
    const hint =
      edits.length > 1
        ? `Keep the first of the two versions down to line ${last}, or the second one, and remove the marks.`
        : 'Remove this line.';
    fixer.report(start, lineEnd, 'a merge conflict', { hint, edits, isSafe: false });
  }
}
