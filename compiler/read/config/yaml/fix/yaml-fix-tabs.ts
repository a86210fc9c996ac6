/** A file that is indented with tabs throughout: each of them is one level, so spaces can take their place. */
import type { YamlFix } from './yaml-fixer.js';

/** The fixes of lines indented with tabs; empty if a line is indented with anything else, because the width of a tab is then unknown. */
export function tabFixes(text: string): YamlFix[] {
  if (/^\t*[^\S\t\r\n]/m.test(text)) return [];
  const fixes: YamlFix[] = [];
  /** The tabs before the key of the string that is open. */
  let key: number | undefined;
  for (const { index, 1: tabs = '', 2: written = '' } of text.matchAll(/^(\t*)([^\s][^\r\n]*)/gm)) {
    const level = tabs.length;
    if (key !== undefined && level <= key) key = undefined;
    // The key can follow a dash, and a string is right of its key.
    const column = level * 2 + (key === undefined ? 0 : 2);
    const [start, end] = [index, index + level];
    if (level > 0)
      fixes.push({
        ...{ start, end, problem: 'tab in the indentation', isSafe: true, isTab: true },
        hint: 'Indent with spaces, two for each tab.',
        edits: [{ start, end, text: ' '.repeat(column) }],
      });
    if (key === undefined && /(?:^|[:-]\s+)[|>][\d+-]*\s*(?:#.*)?$/.test(written)) key = level;
  }
  return fixes;
}
