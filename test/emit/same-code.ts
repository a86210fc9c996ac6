/** Whether code means the same as other code: trees that are equal but for their layout. */
import { parseModule } from '../../compiler/generate/emit/print/parse-code.js';

/** The fields of the tree that say how code is laid out. */
const layout = new Set(['isLong', 'isAfterBlank', 'isBeforeBlank']);

export function isSameCode(one: string, other: string): boolean {
  return isSameTree(parseModule(one), parseModule(other));
}

function isSameTree(one: unknown, other: unknown): boolean {
  if (!isTree(one) || !isTree(other)) return withoutSpace(one) === withoutSpace(other);
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => layout.has(key) || isSameTree(one[key], other[key]));
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The lines of a comment are indented with the code. */
function withoutSpace(value: unknown): unknown {
  return typeof value === 'string' && /^\/[*/]/.test(value) ? value.replaceAll(/\s+/g, ' ').trim() : value;
}
