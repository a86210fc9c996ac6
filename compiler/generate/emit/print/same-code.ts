/** Whether printed code is the code that was to be printed: nothing is lost, and brackets mean the same. */
import type { ModuleCode } from './parse-code.js';

/** The fields of the tree that say how code is laid out; comments are among what was read. */
const layout = new Set(['isLong', 'isAfterBlank', 'comments']);

export function isSameCode(one: ModuleCode, other: ModuleCode): boolean {
  return (
    one.read.length === other.read.length &&
    one.read.every((text, index) => text === other.read[index]) &&
    isSameTree(one.statements, other.statements)
  );
}

function isSameTree(one: unknown, other: unknown): boolean {
  if (!isTree(one) || !isTree(other)) return one === other;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => layout.has(key) || isSameTree(one[key], other[key]));
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
