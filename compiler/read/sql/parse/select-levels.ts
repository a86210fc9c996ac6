/** The SELECT of an item, and its clause: parentheses without a subselect are skipped. */
import type { OutlineToken } from './outline.js';
import { wordSet } from '../lexer/word-set.js';

export interface Level {
  /** Equal for items of the same SELECT: the parts of a set operation have one each. */
  readonly select: string;
  /** The clause of that SELECT, such as SELECT (its list), WHERE or ORDER. */
  readonly clause: string;
}

const setOperators = wordSet('UNION INTERSECT EXCEPT MINUS');

/** The level of each item, in time linear in their number. */
export function levelsOf(items: readonly OutlineToken[]): Level[] {
  const levels: Level[] = [];
  const parts = new Map<number, number>();
  for (const item of items) {
    const around = items[item.parent];
    const outer = levels[item.parent];
    if (around !== undefined && outer !== undefined && !around.opensStatement) {
      levels.push(outer);
      continue;
    }
    const part = (parts.get(item.parent) ?? 0) + (setOperators.has(item.word) ? 1 : 0);
    parts.set(item.parent, part);
    levels.push({ select: `${item.parent}.${part}`, clause: item.clause });
  }
  return levels;
}
