/** Whether a statement may be sent a second time when the connection died before its answer. */
import type { Dialect } from './dialect.js';
import { harmlessFunctions } from './harmless-functions.js';
import type { Item } from './outline.js';
import { wordSet } from './word-set.js';

const readingVerbs = wordSet('SELECT VALUES TABLE');

/** Words that change data, take locks or store a result, wherever they stand. */
const changingWords = wordSet('INSERT UPDATE DELETE MERGE INTO CALL SHARE LOCK');

/** Keywords (and the words of table aliases) that parentheses follow without a call. */
const keywords = wordSet(`
  ALL AND ANY ARRAY AS BETWEEN BY CASE CUBE DISTINCT ELSE EXCEPT EXISTS FILTER FROM GROUP HAVING ILIKE
  IN INTERSECT INTERVAL JOIN LATERAL LIKE LIMIT MATERIALIZED NOT OFFSET ON OR OVER RECURSIVE REGEXP
  ROLLUP ROW SELECT SETS SOME THEN TO UNION USING VALUES WHEN WHERE WITH DIV MOD XOR AGAINST
`);

/** True for a reading statement in which nothing can change data: a function that is not known might. */
export function mayRepeat(items: readonly Item[], verb: Item, dialect: Dialect): boolean {
  const harmless = harmlessFunctions[dialect];
  return readingVerbs.has(verb.word) && !items.some((item, index) => mayChange(items, item, index, harmless));
}

function mayChange(
  items: readonly Item[],
  item: Item,
  index: number,
  harmless: ReadonlySet<string>,
): boolean {
  const next = items[index + 1];
  if (changingWords.has(item.word)) return true;
  const isName = item.token.kind === 'word' || item.token.kind === 'quoted-name';
  if (!isName || next?.word !== '(') return false;
  const before = items[index - 1];
  // A type (`::numeric(10, 2)`, `CAST(x AS char(3))`), an alias with its columns: `) AS t (a, b)`.
  if (before?.word === '::' || before?.word === 'AS' || before?.word === ')') return false;
  if (namesQuery(items, before, next)) return false;
  if (before?.word === '.' && items[index - 2]?.word !== 'PG_CATALOG') return true;
  return item.token.kind === 'quoted-name' || !(keywords.has(item.word) || harmless.has(item.word));
}

/** `WITH name (columns) AS (SELECT …`. */
function namesQuery(items: readonly Item[], before: Item | undefined, open: Item): boolean {
  const after = items.slice(open.close + 1, open.close + 4).map(({ word }) => word);
  if (open.close === -1 || after[0] !== 'AS') return false;
  if (before?.word === 'WITH' || before?.word === 'RECURSIVE') return true;
  // `f(1) AS (a int)` in a FROM list is a call.
  return before?.word === ',' && after[1] === '(' && (after[2] === 'SELECT' || after[2] === 'VALUES');
}
