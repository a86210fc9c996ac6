/** Values that are a whole column of a list: of SELECT, RETURNING or VALUES. There the server reads a bare parameter as text. */
import type { Stretch } from './operand.js';
import type { OutlineToken } from './outline.js';
import { wordSet } from '../lexer/word-set.js';

const beforeColumn = wordSet('SELECT DISTINCT ALL , RETURNING');
/** Words that make more of the value than a column of its own. */
const operatorWords = wordSet(`
  AND OR NOT IS IN LIKE ILIKE SIMILAR BETWEEN COLLATE AT ISNULL NOTNULL OVERLAPS OPERATOR
`);

export function isListed(items: readonly OutlineToken[], { first, last }: Stretch): boolean {
  const item = items[first];
  const [before, after] = [items[first - 1], items[last + 1]];
  if (item === undefined || before === undefined) return false;
  const isEnd =
    after === undefined ||
    after.word === ',' ||
    after.word === ')' ||
    after.token.kind === 'quoted-name' ||
    (after.token.kind === 'word' && !operatorWords.has(after.word));
  if (!isEnd) return false;
  const around = items[item.parent];
  if (around !== undefined && !around.opensStatement) return isRow(items, item.parent, before);
  return (item.clause === 'SELECT' || item.clause === 'RETURNING') && beforeColumn.has(before.word);
}

/** `VALUES (…), (…)`. */
function isRow(items: readonly OutlineToken[], open: number, before: OutlineToken): boolean {
  return opensRow(items, open) && (before.word === '(' || before.word === ',');
}

/** True for the parenthesis of a row of VALUES. */
export function opensRow(items: readonly OutlineToken[], open: number): boolean {
  if (items[open - 1]?.word === 'VALUES') return true;
  return items[open - 1]?.word === ',' && items[open]?.clause === 'VALUES';
}

const storing = wordSet('INSERT REPLACE');

/** True for a whole column of a row of VALUES that is a query, `FROM (VALUES (…), (…))`, and stored by no INSERT. */
export function isQueryRow(items: readonly OutlineToken[], index: number): boolean {
  const open = items[index]?.parent ?? -1;
  const row = items[open];
  if (row === undefined || !opensRow(items, open)) return false;
  const [before, after] = [items[index - 1]?.word ?? '', items[index + 1]?.word ?? ''];
  if (!['(', ','].includes(before) || ![')', ','].includes(after)) return false;
  return !items.some(({ word, parent }, at) => at < open && parent === row.parent && storing.has(word));
}

/** True if an INSERT stores the columns of the list, which determines their types. */
export function isInsertList(items: readonly OutlineToken[], index: number): boolean {
  const item = items[index];
  if (item === undefined || item.clause === 'RETURNING') return false;
  let { parent } = item;
  if (items[parent]?.opensStatement === false) parent = items[parent]?.parent ?? -1;
  return (insertsOf(items).get(parent) ?? Infinity) <= index;
}

const inserts = new WeakMap<readonly OutlineToken[], ReadonlyMap<number, number>>();

/** Where each statement has its first INSERT or MERGE, by its parenthesis: looked up once, because a statement may list thousands of values. */
function insertsOf(items: readonly OutlineToken[]): ReadonlyMap<number, number> {
  const known = inserts.get(items);
  if (known !== undefined) return known;
  const first = new Map<number, number>();
  for (const [index, { word, parent }] of items.entries())
    if ((word === 'INSERT' || word === 'MERGE') && !first.has(parent)) first.set(parent, index);
  inserts.set(items, first);
  return first;
}

/** What precedes a query in parentheses if nothing depends on the types of its columns, or if its union determines them. */
const besideUntyped = wordSet('EXISTS UNION INTERSECT EXCEPT ALL');

/** The parentheses with queries that are combined, and whether a WITH query calls itself. */
export interface Unions {
  readonly opens: ReadonlySet<number>;
  readonly isRecursive: boolean;
}

export function unionsOf(items: readonly OutlineToken[]): Unions {
  const combined = items.filter(({ word }) => /^(?:UNION|INTERSECT|EXCEPT)$/.test(word));
  return {
    opens: new Set(combined.map(({ parent }) => parent)),
    isRecursive: items.some(({ word }) => word === 'RECURSIVE'),
  };
}

/** True for a column of a WITH query, of a subselect or of VALUES in FROM whose type nothing else of the query determines. */
export function isInnerColumn(items: readonly OutlineToken[], { first }: Stretch, unions: Unions): boolean {
  const item = items[first];
  if (item === undefined) return false;
  const around = items[item.parent];
  const isInRow = around !== undefined && !around.opensStatement;
  // Several rows determine each other's types.
  if (isInRow && items[around.close + 1]?.word === ',') return false;
  const open = isInRow ? around.parent : item.parent;
  const before = items[open - 1];
  if (before === undefined || besideUntyped.has(before.word)) return false;
  if (before.word === '(' && items[open - 2]?.word === 'EXISTS') return false;
  const query = { first: open, last: items[open]?.close ?? open };
  if (isListed(items, query)) return isInnerColumn(items, query, unions);
  return unions.isRecursive || !unions.opens.has(open);
}
