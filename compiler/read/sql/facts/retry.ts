/** Whether a statement may be sent again if the connection ended before its result. */
import type { Dialect } from '../dialect.js';
import { sideEffectFreeFunctions, numberFunctions } from './side-effect-free-functions.js';
import type { OutlineToken } from '../parse/outline.js';
import { wordSet } from '../lexer/word-set.js';

const readingVerbs = wordSet('SELECT VALUES TABLE');

/** Words that change data, take locks or store a result, in any position. */
const changingWords = wordSet('INSERT UPDATE DELETE MERGE INTO CALL LOCK');

/** Keywords (and the words of table aliases) that parentheses follow without a call. */
const keywords = wordSet(`
  ALL AND ANY ARRAY AS BETWEEN BY CASE CUBE DISTINCT ELSE EXCEPT EXISTS FILTER FROM GROUP HAVING ILIKE
  IN INTERSECT INTERVAL JOIN LATERAL LIKE LIMIT MATERIALIZED NOT OFFSET ON OR OVER RECURSIVE REGEXP
  ROLLUP ROW SELECT SETS SOME THEN TO UNION USING VALUES WHEN WHERE WITH DIV MOD XOR AGAINST
`);

/** True for a reading statement in which nothing can change data: a function that is not known might. */
export function isRetryable(items: readonly OutlineToken[], verb: OutlineToken, dialect: Dialect): boolean {
  return readingVerbs.has(verb.word) && !items.some((item, index) => mayChange(items, item, index, dialect));
}

function mayChange(
  items: readonly OutlineToken[],
  item: OutlineToken,
  index: number,
  dialect: Dialect,
): boolean {
  const next = items[index + 1];
  if (changingWords.has(item.word) || locksRows(items, index)) return true;
  if (changesSequence(items, index) || assignsVariable(items, index)) return true;
  const isName = item.token.kind === 'word' || item.token.kind === 'quoted-name';
  if (!isName || next?.word !== '(') return false;
  const before = items[index - 1];
  const isBehindDistinct = before?.word === ')' && isDistinctOn(items, index - 1);
  // A type (`::numeric(10, 2)`, `CAST(x AS char(3))`), an alias with its columns: `) AS t (a, b)`.
  if (before?.word === '::' || before?.word === 'AS') return false;
  if (before?.word === ')' && !isBehindDistinct) return false;
  if (namesQuery(items, before, next)) return false;
  if (before?.word === '.' && items[index - 2]?.word !== 'PG_CATALOG') return true;
  const isOverload = numberFunctions.has(item.word) && items[index + 2]?.token.kind === 'literal';
  if (isOverload && dialect === 'postgresql') return true;
  return (
    item.token.kind === 'quoted-name' ||
    !(keywords.has(item.word) || sideEffectFreeFunctions[dialect].has(item.word))
  );
}

/** `DISTINCT ON ( … )`, which the list of columns follows. */
function isDistinctOn(items: readonly OutlineToken[], close: number): boolean {
  const open = items.findIndex((item) => item.close === close);
  return items[open - 1]?.word === 'ON' && items[open - 2]?.word === 'DISTINCT';
}

/** `FOR SHARE` and `FOR KEY SHARE`; elsewhere `share` is the name of a column. */
function locksRows(items: readonly OutlineToken[], index: number): boolean {
  const before = items[index - 1]?.word;
  return items[index]?.word === 'SHARE' && (before === 'FOR' || before === 'KEY');
}

/** `NEXT VALUE FOR s`, and `s.nextval` of MariaDB's Oracle mode. */
function changesSequence(items: readonly OutlineToken[], index: number): boolean {
  const word = items[index]?.word;
  if (word === 'NEXT') return items[index + 1]?.word === 'VALUE';
  return word === 'NEXTVAL';
}

/** MySQL's `@a := @a + 1`. */
function assignsVariable(items: readonly OutlineToken[], index: number): boolean {
  return items[index]?.word === ':=';
}

/** `WITH name (columns) AS (SELECT …`. */
function namesQuery(
  items: readonly OutlineToken[],
  before: OutlineToken | undefined,
  open: OutlineToken,
): boolean {
  const after = items.slice(open.close + 1, open.close + 4).map(({ word }) => word);
  if (open.close === -1 || after[0] !== 'AS') return false;
  if (before?.word === 'WITH' || before?.word === 'RECURSIVE') return true;
  // `f(1) AS (a int)` in a FROM list is a call.
  return before?.word === ',' && after[1] === '(' && (after[2] === 'SELECT' || after[2] === 'VALUES');
}
