/** Schema notation: nested maps whose leaves are expressions (docs/design/responses.md#res-2). */
import { Recording } from '../diagnostics/recording.js';
import type { Report } from '../diagnostics/report.js';
import { nearest } from '../diagnostics/suggest.js';
import type { Expression, Syntax } from '../expression/ast.js';
import type { Notation } from '../expression/notation.js';
import { exactNumber, isNumber } from '../expression/numbers.js';
import { parseExpression } from '../expression/parse/parse.js';
import type { Schema } from './config-model.js';
import {
  entryOf,
  isEmpty,
  type Entry,
  type ListNode,
  type MapNode,
  type Node,
  type ScalarNode,
} from './yaml/node.js';

/** Reads schema notation and reports its errors; undefined if the whole schema is unreadable. */
export function readSchema(node: Node, notation: Notation, report: Report): Schema | undefined {
  switch (node.kind) {
    case 'scalar':
      return leaf(node, notation, report);
    case 'list':
      report.add('schema-list', node.span, { hint: arrayHint(node, notation.syntax) });
      return undefined;
    case 'map':
      return isArraySchema(node, report)
        ? readArray(node, notation, report)
        : readObject(node, notation, report);
  }
}

/** The hint for a YAML list: a map with 'list' and 'item', using the list's only element. */
function arrayHint({ items, span }: ListNode, syntax: Syntax): string {
  const [only, other] = items;
  if (only === undefined) return "Write an array as a map with the keys 'list' and 'item'.";
  const isFlow = span.source.text.startsWith('[', span.start);
  // YAML splits a call at its commas.
  const call = isFlow
    ? /^\[\s*(\w+\([^()]*\))\s*\]$/.exec(span.source.text.slice(span.start, span.end))?.[1]
    : undefined;
  if (other !== undefined && call === undefined)
    return "For the rows of a result write a map with the keys 'list' and 'item'. Build another array in the SQL, for example SELECT json_build_array(a, b) AS pair.";
  const written = call ?? (only.kind === 'scalar' ? only.text.value : '');
  if (written.includes('@'))
    return `Write ${written} without the ${isFlow ? 'brackets' : 'dash'}: 'item' is one element of the array.`;
  const [, source, path] =
    (syntax === 'A'
      ? /^VALUE\(\s*([\p{L}\p{N}_-]+)\s*,\s*\$(\.[^()]*)\)$/u
      : /^([\p{L}_][\p{L}\p{N}_-]*)(\.[\p{L}\p{N}_.-]+)$/u
    ).exec(written) ?? [];
  if (source !== undefined && path !== undefined)
    return syntax === 'A'
      ? `Write 'list: VALUE(${source}, $)' and 'item: VALUE(@, $${path})' instead of the list.`
      : `Write 'list: ${source}' and "item: '@${path}'" instead of the list.`;
  const isArray = (syntax === 'A' ? /^VALUE\([^@,]+,\s*\$\)$/ : /^[\p{L}_][\p{L}\p{N}_-]*$/u).test(written);
  if (isArray)
    return `Write ${written} without the ${isFlow ? 'brackets' : 'dash'}: it is already a list. For some of its columns write the keys 'list' and 'item'.`;
  return "Write the keys 'list' (an expression for the array) and 'item' (the schema of one element) instead of the list.";
}

function leaf(node: ScalarNode, notation: Notation, report: Report): Schema | undefined {
  // An alias is read each time it is used, but a report contains each error only once.
  const own = new Recording();
  const value = readLeaf(node, notation, own);
  report.replay(own.all);
  if (value === undefined) return undefined;
  return { kind: 'leaf', value, ...(own.hasErrors && { isFaulty: true }) };
}

/** Requires exactly the keys `list` and `item`: any other map is an ordinary object. */
function isArraySchema(map: MapNode, report: Report): boolean {
  if (map.entries.length !== 2) return false;
  const missing = (['list', 'item'] as const).filter((key) => entryOf(map, key) === undefined);
  const [first, second] = missing;
  if (first === undefined || second !== undefined) return first === undefined;
  const other = map.entries.find(({ key }) => !/^(?:list|item)$/.test(key.text.value));
  // Only an `item` can read the current element, so a schema that does was meant as an item.
  if (other === undefined || nearest(other.key.text.value, [first]) === undefined) return false;
  const item = first === 'item' ? other.value : entryOf(map, 'item')?.value;
  if (item === undefined || !readsElement(item)) return false;
  const parameters = { field: other.key.text.value, nearest: first, owners: [], known: ['list', 'item'] };
  report.add('unknown-field', other.key.span, { resource: 'A list in a schema', ...parameters });
  return true;
}

function readsElement({ span }: Node): boolean {
  return /@\s*[,.[]/.test(span.source.text.slice(span.start, Math.min(span.end, span.start + 10_000)));
}

function readArray(map: MapNode, notation: Notation, report: Report): Schema | undefined {
  if (map.entries.filter((entry) => isEmptyLeaf(entry, notation.syntax, report)).length > 0) return undefined;
  const valueOf = (key: 'list' | 'item', other: 'list' | 'item'): Node | undefined =>
    (entryOf(map, key) ?? map.entries.find((entry) => entry.key.text.value !== other))?.value;
  const listNode = valueOf('list', 'item');
  const itemNode = valueOf('item', 'list');
  if (listNode === undefined || itemNode === undefined) return undefined;
  const item = readSchema(itemNode, notation, report);
  if (listNode.kind !== 'scalar') {
    report.add('wrong-kind', listNode.span, {
      what: "'list'",
      expected: 'an expression that returns an array',
      example: `list: ${notation.syntax === 'A' ? 'VALUE(news, $)' : 'news'}`,
    });
    return undefined;
  }
  const list = readLeaf(listNode, notation, report);
  return list && item && { kind: 'array', list, item };
}

function readObject(map: MapNode, notation: Notation, report: Report): Schema {
  const fields = map.entries.flatMap((entry) => {
    const { key, value } = entry;
    if (isEmptyLeaf(entry, notation.syntax, report)) return [];
    const schema = readSchema(value, notation, report);
    return schema === undefined ? [] : [{ key: key.text.value, span: key.span, value: schema }];
  });
  return { kind: 'object', fields };
}

/** Reports `title:` without a value, and `{BODY()}`, which YAML parses as a map with the key `BODY()`. */
function isEmptyLeaf({ key, value }: Entry, syntax: Syntax, report: Report): boolean {
  if (!isEmpty(value)) return false;
  const name = key.text.value;
  report.add('empty-leaf', key.span, {
    name,
    isExpression: name.includes('(') && name.endsWith(')'),
    syntax,
  });
  return true;
}

/** Reads a leaf: an expression, or a constant YAML number, boolean or null. */
export function readLeaf(scalar: ScalarNode, notation: Notation, report: Report): Expression | undefined {
  const { value, span, style, text } = scalar;
  const isNoJsonNumber = /^[-+]?\.(?:inf|nan)$/i.test(text.value);
  if (style !== 'plain' || typeof value === 'string' || isNoJsonNumber)
    return parseExpression(text, notation, report);
  if (value === null) return { kind: 'null', span };
  if (typeof value === 'boolean') return { kind: 'boolean', value, span };
  // YAML numbers that JSON cannot express, such as 0x1F and 1_000, are used as is.
  if (Number.isFinite(value) && (exactNumber(text.value) === value || !isNumber(text.value))) {
    return { kind: 'number', value, span };
  }
  report.add('number-too-large', span, { written: text.value });
  return undefined;
}
