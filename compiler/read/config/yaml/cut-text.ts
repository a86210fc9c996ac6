/** Reports strings that YAML cuts: into several items at a comma inside `[ ]`, such as VALUE(news, $), or at ` #`. */
import type { Report } from '../../diagnostics/report.js';
import { spanBeside, type Span } from '../../source.js';
import type { Entry, Node, ScalarNode } from './node.js';
import { yaml } from '../../../notation/yaml-writer.js';

/** The items of a list. Reports pieces of a cut string and joins them into one item, so that they cause no further errors. */
export function joinCutItems(items: readonly Node[], report: Report): readonly Node[] {
  const joined: Node[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    joined.push(item);
    const last = endOfCutText(items, index);
    const end = items[last];
    if (last === index || end === undefined) continue;
    const span = spanBeside(item.span, item.span.start, end.span.end);
    report.add('cut-at-comma', span, { quoted: yaml.quoted(textAt(span)) });
    report.ignoreInside([span]);
    index = last;
  }
  return joined;
}

function textAt({ source, start, end }: Span): string {
  return source.text.slice(start, end);
}

/** The maximum number of pieces of a string. */
const maxPieces = 50;

/**
 * If `last` is the last piece of a cut string, reports the string and returns the index of the entry in which it begins; otherwise
 * undefined. YAML reads `{ a: VALUE(ff, $.x) }` as two entries, of which the second lacks a value and contains an unmatched `)`. `{ query:
 * SELECT a, b WHERE c = :[PARAM(c)] }` also becomes two entries; the value of the second is a list.
 */
export function joinCutEntries(entries: readonly Entry[], last: Entry, report: Report): number | undefined {
  const { key, value } = last;
  const isEmpty = isWithoutValue(last);
  const isPiece = isEmpty
    ? key.text.value.includes(')')
    : value.kind === 'list' && /\s/.test(key.text.value) && isPlaceholder(key, value);
  if (!isPiece) return undefined;
  let first = entries.length - 1;
  while (first > entries.length - maxPieces && first > 0 && isWithoutValue(entries[first])) first -= 1;
  const start = entries[first]?.value;
  if (start?.kind !== 'scalar' || start.style !== 'plain' || start.text.value === '') return undefined;
  if (isEmpty && !start.text.value.includes('(')) return undefined;
  const span = spanBeside(start.span, start.span.start, Math.max(key.span.end, value.span.end));
  report.add('cut-at-comma', span, { quoted: yaml.quoted(textAt(span)) });
  report.ignoreInside([span]);
  return first;
}

function isWithoutValue(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.value.span.end <= entry.key.span.end;
}

/** Whether the list begins directly after the colon: `:[ … ]`. */
function isPlaceholder({ span }: Node, list: Node): boolean {
  return span.source.text.slice(span.end, list.span.start + 1).trim() === ':[';
}

/** The index of the item that closes the parentheses of this item; its own index if there is nothing to close. */
function endOfCutText(items: readonly Node[], start: number): number {
  let open = 0;
  for (let index = start; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined || !isPlain(item)) return start;
    open += count(item, '(') - count(item, ')');
    if (open <= 0) return index;
  }
  return start;
}

function isPlain(node: Node): node is ScalarNode {
  return node.kind === 'scalar' && node.style === 'plain';
}

function count({ text }: ScalarNode, character: string): number {
  return text.value.split(character).length - 1;
}

/** Warns of a string that YAML cuts off at ` #`. */
export function warnOfCutText(node: Node | undefined, isSql: boolean, report: Report): void {
  if (node?.kind !== 'scalar' || node.style !== 'plain' || node.text.value === '') return;
  const { source, start, end } = node.span;
  const match = /^[ \t]+(#[^\r\n]*)/.exec(source.text.slice(end, end + 500));
  const rest = match?.[1]?.trimEnd();
  if (match === null || rest === undefined) return;
  const isOneLine = end - start < 200 && !source.text.slice(start, end).includes('\n');
  const quoted = isOneLine
    ? yaml.quoted(source.text.slice(start, end + match[0].trimEnd().length))
    : undefined;
  report.add('cut-at-hash', spanBeside(node.span, end, end + rest.length + 1), { rest, isSql, quoted });
}
