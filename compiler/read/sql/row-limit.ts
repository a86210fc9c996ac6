/** The maximum number of rows of a statement, as far as its text alone shows it. */
import type { OutlineToken } from './outline.js';
import type { SqlStatement } from './statement.js';
import { wordSet } from './word-set.js';

const aggregates = wordSet(
  'COUNT SUM MIN MAX AVG BOOL_AND BOOL_OR STRING_AGG ARRAY_AGG JSON_AGG JSONB_AGG JSON_OBJECT_AGG JSONB_OBJECT_AGG GROUP_CONCAT JSON_ARRAYAGG JSON_OBJECTAGG',
);

/** The number of its LIMIT or FETCH, 1 for aggregates without GROUP BY and for queries without tables; undefined if it is unknown. */
export function rowLimitOf({ pieces, verb }: SqlStatement): number | undefined {
  const { items } = pieces.bounds;
  const own = (word: string): number =>
    items.findIndex(
      (item, index) =>
        item.word === word && item.parent === pieces.verb.parent && items[index - 1]?.word !== '.',
    );
  if (verb !== 'SELECT') return undefined;
  if (['UNION', 'EXCEPT', 'INTERSECT'].every((word) => own(word) === -1)) {
    if (isAggregated(items, pieces.verb, own('FROM')) && own('GROUP') === -1) return 1;
    const isPlain = !items.some(({ word }) => isSetReturning(word));
    if (own('FROM') === -1 && isPlain) return 1;
  }
  return numberAt(items, own('LIMIT'), pieces.verb.parent) ?? fetched(items, own('FETCH'));
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
