/** The tables that a statement names, as far as its text alone shows: those that it reads, and those that it changes. */
import type { Dialect } from '../dialect.js';
import type { OutlineToken } from '../parse/outline.js';
import type { SqlStatement } from '../statement.js';
import { wordSet } from '../lexer/word-set.js';

export interface TableNames {
  /** Each once, in the order of the text; as the server knows them. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** Behind these a table is read. */
const readingWords = wordSet('FROM JOIN STRAIGHT_JOIN USING');
/** What may be between such a word and the table. */
const between = wordSet('ONLY LATERAL LOW_PRIORITY QUICK IGNORE DELAYED HIGH_PRIORITY TABLE OR REPLACE');
/** The beginning of another clause, so that a comma does not belong to a list of tables. */
const endsList = wordSet(
  'WHERE SET ON USING GROUP ORDER HAVING LIMIT OFFSET FETCH FOR WINDOW UNION EXCEPT INTERSECT VALUES SELECT RETURNING WHEN',
);

/** Names of WITH queries and functions are left out; a name inside a function's own syntax (`extract(day FROM at)`) is not a table. */
export function tableNames({
  dialect,
  pieces: {
    bounds: { items },
    verb,
  },
}: Pick<SqlStatement, 'dialect' | 'pieces'>): TableNames {
  const reads = new Set<string>();
  const writes = new Set<string>();
  const queries = withQueries(items);
  const add = (to: Set<string>, index: number): number => {
    const { name, next } = nameAt(items, index, dialect);
    const isCall = items[next]?.word === '(' && to === reads;
    if (name !== undefined && !isCall && !queries.has(name.toLowerCase())) to.add(name);
    return next;
  };
  for (const [index, item] of items.entries()) {
    if (!isKeyword(items, index)) continue;
    const target = changedBehind(items, index, verb);
    if (target !== undefined) add(writes, target);
    else if (readingWords.has(item.word) && isClause(items, item) && !isDeletion(items, index))
      addList(items, index, (at) => add(reads, at));
  }
  // `DELETE FROM a USING a AS b`, `UPDATE a … FROM a`: both.
  return { reads: [...reads], writes: [...writes] };
}

/** After a dot or AS a keyword is a name. */
function isKeyword(items: readonly OutlineToken[], index: number): boolean {
  const before = items[index - 1]?.word;
  return before !== '.' && before !== 'AS';
}

/** `extract(day FROM at)`, `trim(x FROM y)` and `a IS DISTINCT FROM b` have no tables. */
function isClause(items: readonly OutlineToken[], item: OutlineToken): boolean {
  if (item.word === 'FROM' && item.clause !== 'FROM') return false;
  const around = items[item.parent];
  if (around === undefined || around.opensStatement) return true;
  // `FROM (a JOIN b ON …)`
  return item.word !== 'FROM' && around.clause === 'FROM';
}

/** The FROM of DELETE: the table after it is changed. */
function isDeletion(items: readonly OutlineToken[], index: number): boolean {
  return items[index]?.word === 'FROM' && items[index - 1]?.word === 'DELETE';
}

/** Where the name of a changed table begins; undefined where the word begins no change. */
function changedBehind(
  items: readonly OutlineToken[],
  index: number,
  verb: OutlineToken,
): number | undefined {
  const item = items[index];
  if (item === undefined) return undefined;
  const isVerb = item === verb || items[item.parent]?.opensStatement === true;
  switch (item.word) {
    case 'INSERT':
    case 'MERGE':
    case 'REPLACE':
      return isVerb ? behind(items, index + 1, 'INTO') : undefined;
    case 'UPDATE':
      // `FOR UPDATE`, `ON CONFLICT DO UPDATE SET`, `ON DUPLICATE KEY UPDATE`, `FOR NO KEY UPDATE`
      return isVerb && !['FOR', 'DO', 'KEY', 'THEN'].includes(items[index - 1]?.word ?? '')
        ? behind(items, index + 1)
        : undefined;
    case 'DELETE':
      return isVerb && items[index - 1]?.word !== 'THEN' ? behind(items, index + 1, 'FROM') : undefined;
    case 'TRUNCATE':
      return item === verb ? behind(items, index + 1) : undefined;
    default:
      return undefined;
  }
}

/** The first item that is not one of the words that may be between them. */
function behind(items: readonly OutlineToken[], from: number, word = ''): number {
  let at = from;
  while (between.has(items[at]?.word ?? '') || (word !== '' && items[at]?.word === word)) at += 1;
  return at;
}

/** The tables behind FROM, with commas between them. */
function addList(items: readonly OutlineToken[], index: number, add: (index: number) => number): void {
  const parent = items[index]?.parent;
  let at = behind(items, index + 1);
  for (;;) {
    const item = items[at];
    if (item?.word !== '(') add(at);
    // `FROM (a JOIN b ON …)`
    else if (!item.opensStatement && items[index]?.word === 'FROM') add(at + 1);
    const next = items.findIndex(
      (item, other) =>
        other > at &&
        item.parent === parent &&
        (item.word === ',' || endsList.has(item.word) || item.word === ')'),
    );
    if (next === -1 || items[next]?.word !== ',' || items[index]?.word !== 'FROM') return;
    at = behind(items, next + 1);
  }
}

/** `shop.item`, `"Item"`: without quotes; undefined where no name is there. */
function nameAt(
  items: readonly OutlineToken[],
  from: number,
  dialect: Dialect,
): { readonly name: string | undefined; readonly next: number } {
  const parts: string[] = [];
  let at = from;
  for (;;) {
    const part = partOf(items[at], dialect);
    if (part === undefined) break;
    parts.push(part);
    at += 1;
    if (items[at]?.word !== '.') break;
    at += 1;
  }
  return { name: parts.length === 0 ? undefined : parts.join('.'), next: at };
}

/** PostgreSQL folds names without quotes: `News` is `news`. */
function partOf(item: OutlineToken | undefined, dialect: Dialect): string | undefined {
  const token = item?.token;
  if (token?.kind === 'word') return dialect === 'postgresql' ? token.text.toLowerCase() : token.text;
  return token?.kind === 'quoted-name' ? token.text.slice(1, -1) : undefined;
}

/** The WITH queries by their names, in lower case: the parentheses around each query of that name. */
export function withQueries(items: readonly OutlineToken[]): ReadonlyMap<string, readonly number[]> {
  const queries = new Map<string, number[]>();
  for (const [index, { word }] of items.entries()) {
    if (word !== 'AS') continue;
    const open = ['MATERIALIZED', 'NOT'].includes(items[index + 1]?.word ?? '')
      ? items.findIndex((item, at) => at > index && item.word === '(')
      : index + 1;
    if (items[open]?.opensStatement !== true) continue;
    // `WITH name (columns) AS (SELECT …)`
    let at = index - 1;
    if (items[at]?.word === ')') at = items.findIndex(({ close }) => close === index - 1) - 1;
    const name = partOf(items[at], 'mysql')?.toLowerCase();
    if (name !== undefined) queries.set(name, [...(queries.get(name) ?? []), open]);
  }
  return queries;
}
