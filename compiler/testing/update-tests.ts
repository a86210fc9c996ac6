/** Writes the values that came into a test file: only those that differ, and everything else stays as it is. */
import type { Entry, MapNode, Node } from '../config/node.js';
import { position, startOfLine, type Source } from '../source.js';
import type { Change } from './compare-values.js';
import { patternOf } from './value-patterns.js';

interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text of the file with the changes made; of two at the same place the first one. */
export function updatedText(source: Source, changes: readonly Change[]): string {
  const edits: TextEdit[] = [];
  for (const change of changes) {
    const edit = editOf(source, change);
    if (edit !== undefined && !edits.some(({ start, end }) => edit.start < end && start < edit.end))
      edits.push(edit);
  }
  let { text } = source;
  for (const { start, end, text: now } of edits.sort((a, b) => b.start - a.start))
    text = text.slice(0, start) + now + text.slice(end);
  return text;
}

function editOf(source: Source, change: Change): TextEdit | undefined {
  const { node } = change;
  switch (change.kind) {
    case 'value':
      return change.actual === undefined ? undefined : { ...spanOf(node), text: flowYaml(change.actual) };
    case 'add':
      return addition(source, node, change.key, change.actual);
    case 'remove':
      return removal(source, node, change.entry);
  }
}

function spanOf({ place: { start, end } }: Node): { start: number; end: number } {
  return { start, end };
}

/** Whether a map or list is written in braces or brackets. */
function isFlow(source: Source, node: Node): boolean {
  return '{['.includes(source.text.charAt(node.place.start));
}

function addition(
  source: Source,
  node: Node,
  key: string | undefined,
  actual: unknown,
): TextEdit | undefined {
  if (node.kind === 'scalar') return undefined;
  const value = flowYaml(actual);
  const written = key === undefined ? value : `${yamlText(key)}: ${value}`;
  const isEmpty = node.kind === 'map' ? node.entries.length === 0 : node.items.length === 0;
  if (isFlow(source, node)) {
    const close = source.text.lastIndexOf(node.kind === 'map' ? '}' : ']', node.place.end);
    const before = source.text.slice(0, close).trimEnd().length;
    const space = node.kind === 'map' && isEmpty ? ' ' : '';
    return { start: before, end: before, text: `${isEmpty ? space : ', '}${written}${space}` };
  }
  const last = node.kind === 'map' ? node.entries.at(-1)?.value : node.items.at(-1);
  const first = node.kind === 'map' ? node.entries[0]?.key.place.start : node.place.start;
  if (last === undefined || first === undefined) return undefined;
  const indent = ' '.repeat(first - startOfLine(source, first));
  // A comment behind the last value stays in its line.
  const end = endOfLineAt(source, Math.max(last.place.start, last.place.end - 1));
  return { start: end, end, text: `\n${indent}${key === undefined ? '- ' : ''}${written}` };
}

function removal(source: Source, node: Node, entry: Entry | Node): TextEdit | undefined {
  const { start, end } =
    'key' in entry ? { start: entry.key.place.start, end: entry.value.place.end } : spanOf(entry);
  const { text } = source;
  if (isFlow(source, node)) {
    const behind = /^\s*,\s*/.exec(text.slice(end));
    if (behind !== null) return { start, end: end + behind[0].length, text: '' };
    const before = /,\s*$/.exec(text.slice(0, start));
    return { start: start - (before?.[0].length ?? 0), end, text: '' };
  }
  const count = node.kind === 'map' ? node.entries.length : node.kind === 'list' ? node.items.length : 0;
  if (count <= 1) return { ...spanOf(node), text: node.kind === 'map' ? '{}' : '[]' };
  const from = startOfLine(source, start);
  const isFirstOfItem = /^\s*-\s/.test(text.slice(from, start)) && 'key' in entry;
  const to = endOfLineAt(source, Math.max(start, end - 1));
  // The first field of an item stands behind the dash.
  if (isFirstOfItem) {
    const next = (node as MapNode).entries[1];
    return next === undefined ? undefined : { start, end: next.key.place.start, text: '' };
  }
  return { start: from, end: Math.min(text.length, to + 1), text: '' };
}

function endOfLineAt(source: Source, offset: number): number {
  const at = source.text.indexOf('\n', offset);
  const end = at === -1 ? source.text.length : at;
  return position(source, end).column > 1 && source.text.charAt(end - 1) === '\r' ? end - 1 : end;
}

/** A value in the style of JSON, with as few quotes as YAML allows. */
export function flowYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowYaml).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([key, one]) => `${yamlText(key)}: ${flowYaml(one)}`);
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  }
  if (typeof value !== 'string') return value === undefined ? 'null' : JSON.stringify(value);
  // What looks like a pattern is the text itself.
  return yamlText(patternOf(value).kind === 'text' && !/^\\[/<]/.test(value) ? value : `\\${value}`);
}

const plain = /^[A-Za-z_](?:[\w ./()@+-]*[\w./()@+-])?$/;
const reserved = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;

function yamlText(text: string): string {
  if (plain.test(text) && !reserved.test(text)) return text;
  return /[\p{Cc}\u2028\u2029\ufeff\p{Cs}]/u.test(text)
    ? JSON.stringify(text)
    : `'${text.replaceAll("'", "''")}'`;
}
