/** Whether two values can be equal or ordered, according to their types. */
import type { ValueType } from './value-type.js';

/** Whether `==` can be true for values of the two types (docs/design/expressions.md#exp-7). */
export function canEqual(left: ValueType, right: ValueType): boolean {
  return [...left.kinds].some((kind) => {
    if (right.kinds.has(kind)) return true;
    if (kind === 'string') return right.kinds.has('number') || right.kinds.has('boolean');
    return (kind === 'number' || kind === 'boolean') && right.kinds.has('string');
  });
}

/** Whether `<` or `>` can be true for values of the two types: two numbers or two strings. */
export function canOrder(left: ValueType, right: ValueType): boolean {
  const hasOrder = ({ kinds }: ValueType): boolean => kinds.has('number') || kinds.has('string');
  return hasOrder(left) && hasOrder(right);
}
