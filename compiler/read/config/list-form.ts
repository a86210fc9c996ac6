/** Suggests missing dashes, brackets and keys for lists that are written as a map or as a single value. */
import type { Edit } from '../diagnostics/fix.js';
import type { Entry, MapNode, Node, ScalarNode } from './yaml/node.js';

/** A suggestion and its edits. */
export interface Rewriting {
  readonly hint: string;
  readonly edits: readonly Edit[];
  /** False if the text may mean something else. */
  readonly isSafe: boolean;
}

/** Converts `node` to a list if the intention is clear. `field` is the field that has this value. */
export function asList(node: Node, field: string): Rewriting | undefined {
  if (node.kind === 'scalar' && field === 'header') return oneHeader(node);
  if (node.kind === 'scalar' && field === 'include') return onePattern(node);
  if (node.kind === 'map' && field === 'authentications')
    return { hint: `Write their names: [${keysOf(node).join(', ')}].`, edits: [], isSafe: true };
  if (node.kind === 'map') return field === 'header' ? headerList(node) : withDash(node);
  if (node.kind === 'scalar' && field === 'parameters') {
    const parameter = asParameter(node);
    return parameter && { hint: `Write [{ param: '${node.text.value}' }].`, edits: [], isSafe: true };
  }
  if (
    node.kind === 'scalar' &&
    (field === 'instructions' || field === 'queries') &&
    asQuery(node) !== undefined
  )
    return {
      hint: "Write it as an item on the next line: '- query: ' and the statement.",
      edits: [],
      isSafe: true,
    };
  if (node.kind !== 'scalar' || node.style !== 'plain' || field !== 'authentications') return undefined;
  if (!/^[\w-]+$/.test(node.text.value)) return undefined;
  const { start, end } = node.span;
  if (/^(?:null|none|no|false|off|open|public|anonymous)$/i.test(node.text.value))
    return {
      hint: 'Write [] if everybody may call it.',
      edits: [{ start, end, text: '[]' }],
      isSafe: false,
    };
  return {
    hint: `Write [${node.text.value}].`,
    edits: inBrackets(node),
    isSafe: true,
  };
}

/** A single pattern without brackets. */
function onePattern(node: ScalarNode): Rewriting | undefined {
  const { text, style } = node;
  if (style === 'block' || (style === 'plain' && !/^[\w./*?-]+$/.test(text.value))) return undefined;
  return {
    hint: `Write [${text.value}].`,
    edits: inBrackets(node),
    isSafe: true,
  };
}

/** Edits that make a string or a map in braces the only item of a list; empty if uncertain. */
export function asOneItem(node: Node): readonly Edit[] {
  const isString =
    node.kind === 'scalar' &&
    (node.style === 'quoted' || (node.style === 'plain' && /^[\w./-]+$/.test(node.text.value)));
  const isMap = node.kind === 'map' && node.span.source.text.startsWith('{', node.span.start);
  return isString || isMap ? inBrackets(node) : [];
}

function inBrackets({ span: { start, end } }: Node): Edit[] {
  return [
    { start, end: start, text: '[' },
    { start: end, end, text: ']' },
  ];
}

function keysOf({ entries }: MapNode): string[] {
  return entries.map(({ key }) => key.text.value);
}

/** A single header instead of a list. */
function oneHeader(node: ScalarNode): Rewriting | undefined {
  const { text, style } = node;
  if (!/^[\w-]+:\s*\S/.test(text.value) || /[,[\]{}]/.test(text.value) || style !== 'quoted')
    return undefined;
  return {
    hint: /^accept/i.test(text.value)
      ? `Write ['${text.value}'].`
      : 'Write it as an item of a list, in brackets.',
    edits: inBrackets(node),
    isSafe: true,
  };
}

/** Moves a `query` at the level of a fulfillment's name into an item of `instructions` or `queries`; otherwise no edits. */
export function intoList({ key, value }: Entry, fields: readonly string[]): Edit[] {
  const lists = ['instructions', 'queries'].filter((list) => fields.includes(list));
  const [list, other] = lists;
  if (key.text.value !== 'query' || list === undefined || other !== undefined) return [];
  if (value.kind !== 'scalar' || value.span.source.text.slice(key.span.start, value.span.end).includes('\n'))
    return [];
  const { start, source } = key.span;
  const line = source.text.slice(source.text.lastIndexOf('\n', start - 1) + 1, start);
  return /^ *$/.test(line) ? [{ start, end: start, text: `${list}:\n${line}  - ` }] : [];
}

/** Suggests the missing key for an item of `instructions` or `queries` that is a bare SQL statement. */
export function asQuery(item: Node): Rewriting | undefined {
  return withKey(
    item,
    /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|REPLACE|MERGE|CALL)\s/i,
    'query',
    'statement',
  );
}

/** Suggests the missing key for an item of `parameters` that is a bare expression. */
export function asParameter(item: Node): Rewriting | undefined {
  return withKey(item, /^(?:[A-Z][A-Z\d_]*\(|(?:param|body|@)\b)/, 'param', 'expression');
}

function withKey(item: Node, form: RegExp, key: string, what: string): Rewriting | undefined {
  if (item.kind !== 'scalar' || !form.test(item.text.value)) return undefined;
  const { start, source } = item.span;
  const isInLines = source.text.startsWith('- ', start - 2);
  return {
    hint: `Write '${key}: ' before the ${what}.`,
    edits: isInLines ? [{ start, end: start, text: `${key}: ` }] : [],
    isSafe: true,
  };
}

/** Adds a dash before the first key of a block map, and indents the other lines to match. */
function withDash({ entries, span: { source, start, end } }: MapNode): Rewriting | undefined {
  const [first] = entries;
  const { text } = source;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  if (
    first === undefined ||
    !/^[A-Za-z]/.test(first.key.text.value) ||
    text.charAt(start) === '{' ||
    /\S/.test(text.slice(lineStart, start))
  )
    return undefined;
  const lines = [
    ...text
      .slice(start, end)
      .trimEnd()
      .matchAll(/\n(?=[^\n\r])/g),
  ].map(({ index }) => {
    const at = start + index + 1;
    return { start: at, end: at, text: '  ' };
  });
  // If only the dash is missing, the other keys are already indented.
  const [, second] = entries;
  const columnOf = (at: number): number => at - text.lastIndexOf('\n', at - 1);
  if (second !== undefined && columnOf(second.key.span.start) === columnOf(start) + 2)
    return {
      hint: `Write '- ' before '${first.key.text.value}'.`,
      edits: [{ start, end: start, text: '- ' }],
      isSafe: true,
    };
  return {
    hint:
      lines.length === 0
        ? `Write a dash before it: - ${clipped(text.slice(start, end))}`
        : `Write '- ' before '${first.key.text.value}', and indent the other lines by two more spaces.`,
    edits: [{ start, end: start, text: '- ' }, ...lines],
    isSafe: true,
  };
}

/** A line of the file, shortened. */
function clipped(line: string): string {
  const written = line.trim();
  return written.length > 80 ? `${written.slice(0, 79)}…` : written;
}

/** The header as sent, with its value unless it might be secret. */
function headerOf(entry: Entry | undefined): string {
  const [name, value] = [entry?.key.text.value ?? 'Accept', entry?.value];
  return `${name}: ${value?.kind === 'scalar' && /^accept/i.test(name) ? value.text.value : '…'}`;
}

/** Turns `Accept: application/json` into the item `- 'Accept: application/json'`. */
function headerList({ entries, span }: MapNode): Rewriting | undefined {
  const { text } = span.source;
  const isFlow = text.charAt(span.start) === '{';
  const isPlain = (node: Node): boolean =>
    node.kind === 'scalar' && node.style === 'plain' && !node.text.value.includes("'");
  const isQuoted = (node: Node): boolean =>
    node.kind === 'scalar' && text.charAt(node.span.start) === "'" && !node.text.value.includes("'");
  if (!entries.every(({ key, value }) => isPlain(key) && (isPlain(value) || isQuoted(value))))
    return undefined;
  const items = entries.flatMap(({ key, value }): Edit[] => [
    { start: key.span.start, end: key.span.start, text: isFlow ? "'" : "- '" },
    // Move the opening quote of the value to the beginning; its closing quote stays.
    isQuoted(value)
      ? { start: value.span.start, end: value.span.start + 1, text: '' }
      : { start: value.span.end, end: value.span.end, text: "'" },
  ]);
  if (!isFlow)
    return { hint: `Write each header as an item: - '${headerOf(entries[0])}'`, edits: items, isSafe: true };
  const brackets = [
    { start: span.start, end: span.start + 1, text: '[' },
    { start: span.end - 1, end: span.end, text: ']' },
  ];
  return {
    hint: "Write a list of strings: ['<name>: <value>']",
    edits: [...brackets.slice(0, 1), ...items, ...brackets.slice(1)],
    isSafe: true,
  };
}
