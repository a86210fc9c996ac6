/** Schema notation: nested maps whose leaves are expressions (specification, Schema notation; decisions 7.7). */
import type { Report } from '../diagnostics/report.js';
import type { Expression, Syntax } from '../expression/ast.js';
import { exactNumber, isNumber } from '../expression/numbers.js';
import { parseExpression } from '../expression/parse.js';
import type { Schema } from './model.js';
import { entryOf, type MapNode, type Node, type ScalarNode } from './node.js';

/** Undefined when nothing of it could be read; what is wrong has been reported. */
export function readSchema(node: Node, syntax: Syntax, report: Report): Schema | undefined {
  switch (node.kind) {
    case 'scalar':
      return leaf(readLeaf(node, syntax, report));
    case 'list':
      report.add('schema-list', node.place);
      return undefined;
    case 'map':
      return isArraySchema(node) ? readArray(node, syntax, report) : readObject(node, syntax, report);
  }
}

function leaf(value: Expression | undefined): Schema | undefined {
  return value && { kind: 'leaf', value };
}

/** Exactly the keys `list` and `item`: with other keys beside them, or one of the two alone, it is an ordinary object. */
function isArraySchema(map: MapNode): boolean {
  return map.entries.length === 2 && entryOf(map, 'list') !== undefined && entryOf(map, 'item') !== undefined;
}

function readArray(map: MapNode, syntax: Syntax, report: Report): Schema | undefined {
  const listNode = entryOf(map, 'list')?.value;
  const itemNode = entryOf(map, 'item')?.value;
  if (listNode === undefined || itemNode === undefined) return undefined;
  const item = readSchema(itemNode, syntax, report);
  if (listNode.kind !== 'scalar') {
    report.add('wrong-kind', listNode.place, {
      what: "'list'",
      expected: 'an expression that yields an array',
    });
    return undefined;
  }
  const list = readLeaf(listNode, syntax, report);
  return list && item && { kind: 'array', list, item };
}

function readObject(map: MapNode, syntax: Syntax, report: Report): Schema {
  const fields = map.entries.flatMap(({ key, value }) => {
    const schema = readSchema(value, syntax, report);
    return schema === undefined ? [] : [{ key: key.text.value, place: key.place, value: schema }];
  });
  return { kind: 'object', fields };
}

/** A leaf: an expression, or a YAML number, boolean or null that stands for itself. */
export function readLeaf(scalar: ScalarNode, syntax: Syntax, report: Report): Expression | undefined {
  const { value, place, style, text } = scalar;
  const isNoJsonNumber = /^[-+]?\.(?:inf|nan)$/i.test(text.value);
  if (style !== 'plain' || typeof value === 'string' || isNoJsonNumber)
    return parseExpression(text, syntax, report);
  if (value === null) return { kind: 'null', place };
  if (typeof value === 'boolean') return { kind: 'boolean', value, place };
  // YAML also has numbers that JSON does not write, such as 0x1F and 1_000; those are taken as they are.
  if (Number.isFinite(value) && (exactNumber(text.value) === value || !isNumber(text.value))) {
    return { kind: 'number', value, place };
  }
  report.add('number-too-large', place, { written: text.value });
  return undefined;
}
