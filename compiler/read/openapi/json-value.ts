/** Converts nodes to JSON values, for enums, defaults and constants. */
import { isExact, isJsonNumber } from '../../../runtime/handler/decimal.js';
import type { Node, ScalarNode } from '../config/yaml/node.js';

/** The value of a node. A number that a double cannot represent becomes a string of digits, as in request bodies. */
export function jsonValue(node: Node): unknown {
  switch (node.kind) {
    case 'scalar':
      return scalarValue(node);
    case 'list':
      return node.items.map(jsonValue);
    case 'map': {
      const entries = node.entries.map(({ key, value }): [string, unknown] => [
        key.text.value,
        jsonValue(value),
      ]);
      return Object.fromEntries(entries);
    }
  }
}

/** The value of a scalar node. */
export function scalarValue({ value, text }: ScalarNode): null | boolean | number | string {
  if (typeof value !== 'number') return value;
  const isLossy = !Number.isFinite(value) || (isJsonNumber(text.value) && !isExact(text.value));
  return isLossy ? text.value : value;
}
