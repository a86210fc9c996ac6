/** Fixes files indented with tabs throughout: each tab is one level and can be replaced by spaces. */
import type { YamlFix } from './yaml-fixer.js';

/** The fixes; empty if any line is indented with other characters, because then the width of a tab is unknown. */
export function tabFixes(text: string): YamlFix[] {
  if (/^\t*[^\S\t\r\n]/m.test(text)) return [];
  const fixes: YamlFix[] = [];
  /** The number of tabs before the key of the current block string. */
  let key: number | undefined;
  for (const { index, 1: tabs = '', 2: written = '' } of text.matchAll(/^(\t*)([^\s][^\r\n]*)/gm)) {
    const level = tabs.length;
    if (key !== undefined && level <= key) key = undefined;
    // The key can follow a dash, so the string is moved further to the right.
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
