/** Adds entries to maps of a YAML or JSON text without changing other characters or comments. */
import { isDeepStrictEqual } from 'node:util';
import { isCollection, isMap, isPair, isScalar, parseDocument, type YAMLMap } from 'yaml';
import { withEdits } from '../../diagnostics/apply-fixes.js';
import type { Edit } from '../../diagnostics/fix.js';
import { yaml } from '../../../notation/yaml-writer.js';

export interface Addition {
  /** The keys from the root to the map. Missing maps are created. */
  readonly path: readonly string[];
  readonly key: string;
  readonly value: unknown;
}

type Table = Record<string, unknown>;

/** The text with the additions; undefined if they would change anything else, for example a map that is repeated by an alias. */
export function withAdditions(text: string, additions: readonly Addition[]): string | undefined {
  const document = parseDocument(text, { merge: true });
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  const added = new Map<YAMLMap, Table>();
  // A copy without sharing, where maps repeated by aliases occur several times.
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
  // If several maps end at the same position, the inner map comes first.
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

/** `depth` is the column of the entries. */
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

/** The end of the node's last character, without trailing comments and empty lines. */
function contentEnd(node: unknown): number | undefined {
  if (isPair(node)) return contentEnd(node.value) ?? contentEnd(node.key);
  if (isCollection(node)) {
    if (node.flow === true || node.items.length === 0) return node.range?.[1];
    return contentEnd(node.items.at(-1));
  }
  if (!isScalar(node) || node.range == null) return undefined;
  // A missing value has the position of the next token.
  if (node.range[0] === node.range[1]) return undefined;
  return node.type?.startsWith('BLOCK') === true ? node.range[1] - 1 : node.range[1];
}

/** The end of the line, including a comment. */
function lineEnd(text: string, from: number): number {
  const found = text.indexOf('\n', from);
  const end = found < 0 ? text.length : found;
  return text[end - 1] === '\r' ? end - 1 : end;
}

/** The value of a YAML text; undefined if invalid. */
export function valueIn(text: string): unknown {
  const document = parseDocument(text, { merge: true });
  return document.errors.length > 0 ? undefined : document.toJS();
}
