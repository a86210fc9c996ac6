/** Removes a map entry from its file: whole lines, or a part of a `{ }`. */
import type { Edit } from '../../diagnostics/fix.js';
import type { Entry, MapNode } from './node.js';

interface Extent {
  readonly start: number;
  readonly end: number;
}

/**
 * The edit that removes an entry, including a preceding line that matches `comment`. Undefined for an entry that contains an anchor or
 * alias, or that is written in an unusual form.
 */
export function removalOf(entry: Entry, map: MapNode, comment: RegExp): Edit | undefined {
  const { text } = map.span.source;
  const extent = extentOf(entry, text);
  if (extent === undefined || extent.start < map.span.start || extent.end > map.span.end) return undefined;
  const removed =
    text[map.span.start] === '{' ? inFlow(entry, extent, map) : wholeLines(extent, text, comment);
  return removed && { ...removed, text: '' };
}

/** Whether the entry contains other comments, which would be lost. */
export function hasComment({ key, value }: Entry, comment: RegExp): boolean {
  const lines = key.span.source.text.slice(key.span.start, value.span.end).split('\n');
  return lines.some((line) => /(?:^|\s)#/.test(line) && !comment.test(line));
}

function extentOf({ key, value }: Entry, text: string): Extent | undefined {
  const between = text.slice(key.span.end, value.span.start);
  if (value.span.start < key.span.end || !/^\s*:(?:\s+#.*)*\s*$/.test(between)) return undefined;
  const { start } = key.span;
  return text.slice(start, value.span.end).includes('&') ? undefined : { start, end: value.span.end };
}

function wholeLines({ start, end }: Extent, text: string, comment: RegExp): Extent | undefined {
  const own = text.lastIndexOf('\n', start - 1) + 1;
  const above = text.lastIndexOf('\n', own - 2) + 1;
  const from = own > 0 && comment.test(text.slice(above, own)) ? above : own;
  const [rest = ''] = text[end - 1] === '\n' ? [] : (/^[^\n]*\n?/.exec(text.slice(end)) ?? []);
  const isAlone = text.slice(own, start).trim() === '' && (rest.trim() === '' || /^\s+#/.test(rest));
  if (!isAlone) return undefined;
  const isLast = /^(?:[ \t]*\r?\n|$)/.test(text.slice(end + rest.length));
  const blank = isLast ? (/(?<=\n)[ \t]*\r?\n$/.exec(text.slice(0, from))?.[0] ?? '') : '';
  return { start: from - blank.length, end: end + rest.length };
}

function inFlow(entry: Entry, { start, end }: Extent, { entries, span }: MapNode): Extent {
  const { text } = span.source;
  const at = entries.indexOf(entry);
  const next = entries[at + 1];
  const before = entries[at - 1];
  if (next !== undefined) {
    const comma = /^\s*,[ \t]*/.exec(text.slice(end, span.end))?.[0] ?? '';
    const isPlain = /^\s*,\s*$/.test(text.slice(end, next.key.span.start));
    return { start, end: isPlain ? next.key.span.start : end + comma.length };
  }
  const isPlain = before !== undefined && /^\s*,\s*$/.test(text.slice(before.value.span.end, start));
  return { start: isPlain ? before.value.span.end : start, end };
}
