/** Equality comparisons in conditions. */
import { unwrapped, type SqlNode } from '../parse/tree.js';

/** Both sides of each `a = b` that must be true if the condition is; `a IN (b)` with a single element counts, too. */
export function equalities(condition: SqlNode): (readonly [SqlNode, SqlNode])[] {
  const node = unwrapped(condition);
  if (node.kind !== 'operation') return [];
  if (node.operator === 'AND') return node.operands.flatMap(equalities);
  const [left, right, ...more] = node.operands;
  if (left === undefined || right === undefined || more.length > 0) return [];
  if (node.operator === '=') return [[left, right]];
  const list = node.operator === 'IN' && right.kind === 'parentheses' ? right.elements : [];
  const [only, other] = list;
  return only !== undefined && other === undefined ? [[left, only]] : [];
}
