/** Writes actual values to a test file: only values that differ; the rest is unchanged. */
import { parseYaml } from '../../read/config/yaml/yaml-document.js';
import type { Entry, ListNode, MapNode, Node } from '../../read/config/yaml/node.js';
import { position, startOfLine, type Source } from '../../read/source.js';
import type { Change } from './compare-values.js';
import { literalText } from './read/value-patterns.js';

interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The members that a map or list loses and gains. */
interface Members {
  readonly kind: 'members';
  readonly node: MapNode | ListNode;
  readonly lost: Set<Entry | Node>;
  readonly gained: { readonly key: string | undefined; readonly actual: unknown }[];
}

type Rewriting = Extract<Change, { kind: 'value' }> | Members;

/** The text of the file with the changes; of two changes at the same position, the first one is used. */
export function updatedText(source: Source, changes: readonly Change[]): string {
  const edits: TextEdit[] = [];
  for (const rewriting of together(changes))
    for (const edit of editsOf(source, rewriting))
      if (!edits.some(({ start, end }) => edit.start < end && start < edit.end)) edits.push(edit);
  let { text } = source;
  // Applied from the end; edits at the same position are applied in reverse, so that their texts keep their order.
  for (const { start, end, text: now } of edits.reverse().sort((a, b) => b.start - a.start || b.end - a.end))
    text = text.slice(0, start) + now + text.slice(end);
  // This would be a bug, and must never overwrite a test file.
  if (parseYaml(text).errors.length > 0)
    throw new Error(`${source.path} is left as it is: with the actual values it would not be YAML.`);
  return text;
}

/** Combines all members that a map or list loses and gains into one edit, because a comma belongs to two members. */
function together(changes: readonly Change[]): Rewriting[] {
  const members = new Map<Node, Members>();
  for (const change of changes) {
    const { node } = change;
    if (change.kind === 'value' || node.kind === 'scalar') continue;
    const own: Members = members.get(node) ?? { kind: 'members', node, lost: new Set(), gained: [] };
    members.set(node, own);
    if (change.kind === 'remove') own.lost.add(change.entry);
    // Several tests can share the text of an anchor.
    else if (change.key === undefined || own.gained.every((one) => one.key !== change.key))
      own.gained.push(change);
  }
  return [...changes.filter((change) => change.kind === 'value'), ...members.values()];
}

function editsOf(source: Source, rewriting: Rewriting): TextEdit[] {
  const { node } = rewriting;
  if (rewriting.kind === 'value')
    return rewriting.actual === undefined ? [] : [replaced(source, node, flowYaml(rewriting.actual))];
  const { lost, gained } = rewriting;
  const members: readonly (Entry | Node)[] =
    rewriting.node.kind === 'map' ? rewriting.node.entries : rewriting.node.items;
  const spans = members.map((member) => ({ ...memberSpan(member), isLost: lost.has(member) }));
  const texts = gained.map(({ key, actual }) =>
    key === undefined ? flowYaml(actual) : `${yamlText(key)}: ${flowYaml(actual)}`,
  );
  return isFlow(source, node)
    ? flowEdits(source, rewriting.node, spans, texts)
    : blockEdits(source, rewriting.node, spans, texts);
}

function spanOf({ span: { start, end } }: Node): { start: number; end: number } {
  return { start, end };
}

/** Replaces a value, on one line. */
function replaced(source: Source, node: Node, text: string): TextEdit {
  const span = ownSpan(source, node);
  const before = source.text.slice(0, span.start);
  if (/[:-]$/.test(before)) return { ...span, text: ` ${text}` };
  // The dashes of a list may be aligned with its key; other values may not.
  const isBelowKey = /(?:^|\n)( *)[^\s#-][^\n]*\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*\1$/.test(before);
  return { ...span, text: node.kind === 'list' && isBelowKey ? `  ${text}` : text };
}

/** The span without the line breaks and separate comment lines that follow a block map or list. */
function ownSpan(source: Source, node: Node): { start: number; end: number } {
  const { start, end } = spanOf(node);
  if (node.kind === 'scalar') return { start, end: start + source.text.slice(start, end).trimEnd().length };
  if (isFlow(source, node)) return { start, end };
  const members: readonly (Entry | Node)[] = node.kind === 'map' ? node.entries : node.items;
  const [last = { end }] = members
    .slice(-1)
    .map((member) => ownSpan(source, 'key' in member ? member.value : member));
  return { start, end: last.end };
}

/** Whether a map or list is written in braces or brackets. */
function isFlow(source: Source, node: Node): boolean {
  return '{['.includes(source.text.charAt(node.span.start));
}

interface MemberSpan {
  readonly start: number;
  readonly end: number;
  readonly isLost: boolean;
}

function memberSpan(member: Entry | Node): { start: number; end: number } {
  return 'key' in member ? { start: member.key.span.start, end: member.value.span.end } : spanOf(member);
}

function flowEdits(
  source: Source,
  node: MapNode | ListNode,
  spans: readonly MemberSpan[],
  texts: readonly string[],
): TextEdit[] {
  const { text } = source;
  const close = text.lastIndexOf(node.kind === 'map' ? '}' : ']', node.span.end);
  const last = spans.findLast(({ isLost }) => !isLost);
  if (last === undefined) {
    const space = node.kind === 'map' && texts.length > 0 ? ' ' : '';
    return [{ start: node.span.start + 1, end: close, text: `${space}${texts.join(', ')}${space}` }];
  }
  // Removes up to the next member that stays, or from the last member that stays, so that the commas remain correct.
  const edits = spans.flatMap(({ start, isLost }, index): TextEdit[] => {
    if (!isLost || start > last.start || spans[index - 1]?.isLost === true) return [];
    return [{ start, end: spans.slice(index).find((one) => !one.isLost)?.start ?? start, text: '' }];
  });
  const end = spans.at(-1)?.end ?? last.end;
  if (end > last.end) edits.push({ start: last.end, end, text: '' });
  if (texts.length === 0) return edits;
  const before = text.slice(0, close).trimEnd().length;
  const comma = text.charAt(before - 1) === ',' ? ' ' : ', ';
  return [...edits, { start: before, end: before, text: `${comma}${texts.join(', ')}` }];
}

function blockEdits(
  source: Source,
  node: MapNode | ListNode,
  spans: readonly MemberSpan[],
  texts: readonly string[],
): TextEdit[] {
  const dash = node.kind === 'list' ? '- ' : '';
  const from = node.kind === 'list' ? node.span.start : Math.min(...spans.map(({ start }) => start));
  const between = `\n${' '.repeat(from - startOfLine(source, from))}${dash}`;
  const last = spans.findLast(({ isLost }) => !isLost);
  if (last === undefined) {
    const none = node.kind === 'map' ? '{}' : '[]';
    return texts.length === 0
      ? [replaced(source, node, none)]
      : [{ ...ownSpan(source, node), text: `${dash}${texts.join(between)}` }];
  }
  const edits = spans.flatMap(({ start, end, isLost }, index): TextEdit[] => {
    if (!isLost) return [];
    // The first field of an item follows the dash.
    if (node.kind === 'map' && /^\s*-\s/.test(source.text.slice(startOfLine(source, start), start)))
      return [{ start, end: spans.slice(index).find((one) => !one.isLost)?.start ?? end, text: '' }];
    const to = endOfLineAt(source, Math.max(start, end - 1));
    return [{ start: startOfLine(source, start), end: Math.min(source.text.length, to + 1), text: '' }];
  });
  if (texts.length === 0) return edits;
  // A comment after the last value stays on its line.
  const at = endOfLineAt(source, Math.max(last.start, last.end - 1));
  return [...edits, { start: at, end: at, text: texts.map((text) => `${between}${text}`).join('') }];
}

function endOfLineAt(source: Source, offset: number): number {
  const at = source.text.indexOf('\n', offset);
  const end = at === -1 ? source.text.length : at;
  return position(source, end).column > 1 && source.text.charAt(end - 1) === '\r' ? end - 1 : end;
}

/** A value in flow style, with as few quotes as YAML allows. */
function flowYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowYaml).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([key, one]) => `${yamlText(key)}: ${flowYaml(one)}`);
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  return yamlText(literalText(value));
}

const plain = /^[A-Za-z_](?:[\w ./()@+-]*[\w./()@+-])?$/;
const reserved = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;

function yamlText(text: string): string {
  if (plain.test(text) && !reserved.test(text)) return text;
  return /[\p{Cc}\u2028\u2029\ufeff\p{Cs}]/u.test(text)
    ? JSON.stringify(text)
    : `'${text.replaceAll("'", "''")}'`;
}
