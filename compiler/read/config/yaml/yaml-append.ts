/** Adds entries to maps of a YAML or JSON text; every other character, and with it each comment, stays. */
import { isDeepStrictEqual } from 'node:util';
import { isCollection, isMap, isPair, isScalar, parseDocument, type YAMLMap } from 'yaml';
import { withEdits } from '../../diagnostics/apply-fixes.js';
import type { Edit } from '../../diagnostics/fix.js';
import { yaml } from '../../../notation/yaml-writer.js';

export interface Addition {
  /** Keys from the top to the map; missing maps are made. */
  readonly path: readonly string[];
  readonly key: string;
  readonly value: unknown;
}

type Table = Record<string, unknown>;

/** The text with the additions; undefined if they would change anything else, as in a map that an alias repeats. */
export function withAdditions(text: string, additions: readonly Addition[]): string | undefined {
  const document = parseDocument(text, { merge: true });
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  const added = new Map<YAMLMap, Table>();
  // A copy, in which nothing is shared: a map that an alias repeats is there several times.
  const expected = JSON.parse(JSON.stringify(document.toJS())) as Table;
  for (const { path, key, value } of additions) {
    let map: YAMLMap = document.contents;
    let depth = 0;
    for (let below = map.get(path[depth], true); isMap(below); below = map.get(path[depth], true)) {
      map = below;
      depth += 1;
    }
    const entries = added.get(map) ?? {};
    added.set(map, entries);
    put(entries, path.slice(depth), key, value);
    put(expected, path, key, value);
  }
  const edits = [...added].map(([map, entries]) => appended(text, map, entries));
  // Of maps that end at the same place the inner one ends first.
  edits.sort((a, b) => b.depth - a.depth);
  const result = withEdits(text, edits);
  const reread = parseDocument(result, { merge: true });
  return reread.errors.length === 0 && isDeepStrictEqual(reread.toJS(), expected) ? result : undefined;
}

function put(table: Table, path: readonly string[], key: string, value: unknown): void {
  const [first, ...others] = path;
  if (first === undefined) {
    table[key] = value;
    return;
  }
  const below = (table[first] ?? {}) as Table;
  table[first] = below;
  put(below, others, key, value);
}

/** `depth`: how far the entries are from the left. */
function appended(text: string, map: YAMLMap, entries: Table): Edit & { readonly depth: number } {
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const last = map.items.at(-1);
  const [start = 0, end = start] = map.range ?? [];
  const key = isScalar(last?.key) ? (last.key.range?.[0] ?? start) : start + 1;
  const before = text.slice(text.lastIndexOf('\n', key - 1) + 1, key);
  const isAlone = before.trim() === '';
  const place = { depth: before.length };
  if (map.flow !== true) {
    const at = lineEnd(text, contentEnd(last) ?? end);
    const lines = yaml.document(entries).trimEnd().split('\n');
    return { ...place, start: at, end: at, text: lines.map((line) => lineBreak + before + line).join('') };
  }
  const indented = JSON.stringify(entries, null, 2).split('\n').slice(1, -1);
  const inLine = indented.map((line) => line.trimStart()).join(' ');
  const written = isAlone
    ? indented.map((line) => lineBreak + before + line.slice(2)).join('')
    : ` ${inLine}`;
  const at = contentEnd(last) ?? end - 1;
  return { ...place, start: at, end: at, text: `${last === undefined ? '' : ','}${written}` };
}

/** The end of the last character of a node, without the comments and empty lines after it. */
function contentEnd(node: unknown): number | undefined {
  if (isPair(node)) return contentEnd(node.value) ?? contentEnd(node.key);
  if (isCollection(node)) {
    if (node.flow === true || node.items.length === 0) return node.range?.[1];
    return contentEnd(node.items.at(-1));
  }
  if (!isScalar(node) || node.range == null) return undefined;
  // A value that is not written is where the next one begins.
  if (node.range[0] === node.range[1]) return undefined;
  return node.type?.startsWith('BLOCK') === true ? node.range[1] - 1 : node.range[1];
}

/** The end of the line, after a comment. */
function lineEnd(text: string, from: number): number {
  const found = text.indexOf('\n', from);
  const end = found < 0 ? text.length : found;
  return text[end - 1] === '\r' ? end - 1 : end;
}

/** The value of a YAML text; undefined if it has errors. */
export function valueIn(text: string): unknown {
  const document = parseDocument(text, { merge: true });
  return document.errors.length > 0 ? undefined : document.toJS();
}
