/** Finds lines with YAML errors and their fixes in one pass, using a stack of open lists and maps. Valid YAML needs no fixes. */
import type { Source } from '../../../source.js';
import { conflictsIn, reportConflicts, withoutConflicts } from '../yaml-conflicts.js';
import { type YamlFix, YamlFixer } from './yaml-fixer.js';
import { maxLevels, judgeLine } from './yaml-fix-ahead.js';
import { tabFixes } from './yaml-fix-tabs.js';
import { readNextLine } from './yaml-fix-line.js';

/** `text` has the same offsets as the source, but its directives and document markers are blanked. */
export function yamlFixes(source: Source, text: string): YamlFix[] {
  const tabs = tabFixes(text);
  if (tabs.length > 0) return tabs;
  const conflicts = conflictsIn(text);
  const fixer = new YamlFixer(source, withoutConflicts(text, conflicts));
  reportConflicts(fixer, conflicts);
  while (fixer.next < fixer.lines.length) {
    const index = fixer.next;
    const line = fixer.lines[index];
    if (line !== undefined && judgeLine(fixer, index, line)) continue;
    const isDeep = fixer.levels.length > maxLevels;
    const last = isDeep ? undefined : { index, reader: fixer.fork(), fixes: fixer.fixes.length };
    readNextLine(fixer);
    fixer.last = last;
  }
  return fixer.fixes;
}
