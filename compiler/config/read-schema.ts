/** Schema notation: nested maps whose leaves are expressions (specification, Schema notation; decisions 7.7). */
import type { Report } from '../diagnostics/report.js';
import type { Expression, Syntax } from '../expression/ast.js';
import { parseExpression } from '../expression/parse.js';
import type { Schema } from './model.js';
import { entryOf, type MapNode, type Node, type ScalarNode } from './node.js';

/** Undefined when nothing of it could be read; what is wrong has been reported. */
export function readSchema(node: Node, syntax: Syntax, report: Report): Schema | undefined {
  switch (node.kind) {
    case 'scalar':
      return readLeaf(node, syntax, report);
    case 'list':
      report.add('schema-list', node.place);
      return undefined;
    case 'map':
      return isArraySchema(node) ? readArray(node, syntax, report) : readObject(node, syntax, report);
  }
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
  return list && item && { kind: 'array', list: list.value, item };
}

function readObject(map: MapNode, syntax: Syntax, report: Report): Schema {
  const fields = map.entries.flatMap(({ key, value }) => {
    const schema = readSchema(value, syntax, report);
    return schema === undefined ? [] : [{ key: key.text.value, value: schema }];
  });
  return { kind: 'object', fields };
}

function readLeaf(
  scalar: ScalarNode,
  syntax: Syntax,
  report: Report,
): { kind: 'leaf'; value: Expression } | undefined {
  const value = literal(scalar) ?? parseExpression(scalar.text, syntax, report);
  if (value?.kind === 'number' && Number.isInteger(value.value) && !Number.isSafeInteger(value.value)) {
    report.add('number-too-large', scalar.place, { written: scalar.text.value });
    return undefined;
  }
  return value && { kind: 'leaf', value };
}

/** A YAML number, boolean or null stands for itself. */
function literal({ value, place, style }: ScalarNode): Expression | undefined {
  if (style !== 'plain') return undefined;
  if (value === null) return { kind: 'null', place };
  if (typeof value === 'number' && Number.isFinite(value)) return { kind: 'number', value, place };
  return typeof value === 'boolean' ? { kind: 'boolean', value, place } : undefined;
}
