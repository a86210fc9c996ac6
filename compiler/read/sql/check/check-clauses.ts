/** Misspelt FROM and WHERE: a name in their position that cannot be an alias, because of what follows it. */
import type { OutlineToken } from '../parse/outline.js';
import { misspelt } from '../lexer/misspelt.js';
import { wordSet } from '../lexer/word-set.js';

/** Words that can follow the alias of a column. */
const afterColumn = wordSet(`
  FROM WHERE GROUP HAVING ORDER LIMIT OFFSET FETCH FOR UNION INTERSECT EXCEPT MINUS WINDOW INTO LOCK PROCEDURE ON RETURNING QUALIFY
`);
const comparing = wordSet('= <> != < <= > >= <=> IN IS LIKE ILIKE BETWEEN NOT REGEXP ~ ~*');

/** The index of such a name, and the keyword that it was meant to be. */
export function misspeltClause(
  items: readonly OutlineToken[],
): { readonly item: OutlineToken; readonly keyword: string } | undefined {
  /** The parentheses around each of the two. */
  const has = { FROM: parentsOf(items, 'FROM'), WHERE: parentsOf(items, 'WHERE') };
  for (const [index, item] of items.entries()) {
    const before = items[index - 1]?.word;
    const next = items[index + 1];
    if (next?.token.kind !== 'word' || before === undefined || before === '.' || before === 'AS') continue;
    const mayBe = {
      FROM: item.clause === 'SELECT' && before !== 'SELECT' && !afterColumn.has(next.word),
      WHERE: comparesAt(items, index + 1),
    };
    if (!mayBe.FROM && !mayBe.WHERE) continue;
    const keyword = misspelt(item);
    if ((keyword !== 'FROM' && keyword !== 'WHERE') || has[keyword].has(item.parent)) continue;
    if (mayBe[keyword]) return { item, keyword };
  }
  return undefined;
}

function parentsOf(items: readonly OutlineToken[], keyword: string): ReadonlySet<number> {
  return new Set(items.flatMap(({ word, parent }) => (word === keyword ? [parent] : [])));
}

/** Whether a name begins there that is compared: `id =`, `o.id IN`. */
function comparesAt(items: readonly OutlineToken[], start: number): boolean {
  let at = start + 1;
  while (items[at]?.word === '.') at += 2;
  return comparing.has(items[at]?.word ?? '');
}
