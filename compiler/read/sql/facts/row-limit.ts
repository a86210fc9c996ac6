/** The maximum number of rows of a statement, as far as its text alone shows it. */
import type { OutlineToken } from '../parse/outline.js';
import type { SqlStatement } from '../statement.js';
import { wordSet } from '../lexer/word-set.js';

const aggregates = wordSet(
  'COUNT SUM MIN MAX AVG BOOL_AND BOOL_OR STRING_AGG ARRAY_AGG JSON_AGG JSONB_AGG JSON_OBJECT_AGG JSONB_OBJECT_AGG GROUP_CONCAT JSON_ARRAYAGG JSON_OBJECTAGG',
);

/** The number of its LIMIT or FETCH, 1 where it always has one row; undefined if it is unknown. */
export function rowLimitOf(statement: SqlStatement): number | undefined {
  const { pieces, verb } = statement;
  if (verb !== 'SELECT') return undefined;
  if (alwaysHasRow(statement)) return 1;
  const { items } = pieces.bounds;
  const own = (word: string): number => ownWord(statement, word);
  return numberAt(items, own('LIMIT'), pieces.verb.parent) ?? fetched(items, own('FETCH'));
}

/** Whether it has one row in any case: an aggregate without GROUP BY, or a query without tables. */
export function alwaysHasRow(statement: SqlStatement): boolean {
  const { pieces } = statement;
  const { items } = pieces.bounds;
  const own = (word: string): number => ownWord(statement, word);
  if (['UNION', 'EXCEPT', 'INTERSECT'].some((word) => own(word) !== -1)) return false;
  if (isAggregated(items, pieces.verb, own('FROM')) && own('GROUP') === -1) return true;
  return own('FROM') === -1 && !items.some(({ word }) => isSetReturning(word));
}

/** Where the word is in the statement itself, not in a part of it; -1 where it is not. */
function ownWord({ pieces }: SqlStatement, word: string): number {
  const { items } = pieces.bounds;
  return items.findIndex(
    (item, index) =>
      item.word === word && item.parent === pieces.verb.parent && items[index - 1]?.word !== '.',
  );
}

/** Whether it has a LIMIT or FETCH of its own, whatever the number is. */
export function hasRowLimit({ pieces }: SqlStatement): boolean {
  const { items } = pieces.bounds;
  return items.some(
    ({ word, parent }) => (word === 'LIMIT' || word === 'FETCH') && parent === pieces.verb.parent,
  );
}

/** `generate_series(1, 3)` and `unnest(a)` in the list of columns return several rows. */
function isSetReturning(word: string): boolean {
  return /^(?:GENERATE_SERIES|GENERATE_SUBSCRIPTS|UNNEST|REGEXP_MATCHES|REGEXP_SPLIT_TO_TABLE|JSONB?_(?:ARRAY_ELEMENTS|EACH|OBJECT_KEYS|TO_RECORDSET|POPULATE_RECORDSET|PATH_QUERY).*)$/.test(
    word,
  );
}

/** Whether the list of columns has an aggregate, of all rows and not over a window. */
function isAggregated(items: readonly OutlineToken[], verb: OutlineToken, from: number): boolean {
  const end = from === -1 ? items.length : from;
  return items.some((item, index) => {
    const open = items[index + 1];
    const isInList = index < end && item.parent === verb.parent && index > items.indexOf(verb);
    return (
      isInList &&
      aggregates.has(item.word) &&
      open?.word === '(' &&
      items[open.close + 1]?.word !== 'OVER' &&
      items[open.close + 1]?.word !== 'FILTER'
    );
  });
}

/** `LIMIT 10`, MySQL's `LIMIT 5, 10`. */
function numberAt(items: readonly OutlineToken[], limit: number, parent: number): number | undefined {
  if (limit === -1) return undefined;
  const at = items[limit + 2]?.word === ',' && items[limit + 2]?.parent === parent ? limit + 3 : limit + 1;
  const after = items[at + 1]?.word;
  // `LIMIT 10 * 2`
  return after === undefined || behindLimit.has(after) ? wholeNumber(items[at]) : undefined;
}

const behindLimit = wordSet('OFFSET FOR LOCK INTO PROCEDURE ROWS )');

/** `FETCH FIRST 10 ROWS ONLY`, `FETCH FIRST ROW ONLY`. */
function fetched(items: readonly OutlineToken[], fetch: number): number | undefined {
  if (fetch === -1 || items.slice(fetch).some(({ word }) => word === 'TIES' || word === 'PERCENT'))
    return undefined;
  const count = items[fetch + 2];
  return count?.word === 'ROW' || count?.word === 'ROWS' ? 1 : wholeNumber(count);
}

function wholeNumber(item: OutlineToken | undefined): number | undefined {
  return item?.token.kind === 'number' && /^\d+$/.test(item.token.text) ? Number(item.token.text) : undefined;
}
