/** Tables of a SELECT that nothing joins with the others of its FROM: each of their rows comes with each of the others. */
import type { OutlineToken } from '../parse/outline.js';
import { wordSet } from '../lexer/word-set.js';

/** A table of a list behind FROM: the items of its name and alias. */
export interface UnjoinedTable {
  readonly first: OutlineToken;
  readonly last: OutlineToken;
  /** How the statement calls it. */
  readonly name: string;
}

const behindList = wordSet('WHERE GROUP ORDER HAVING LIMIT OFFSET FETCH FOR WINDOW UNION EXCEPT INTERSECT ;');
/** Words of a condition that are no columns. */
const words = wordSet('AND OR NOT IS NULL IN LIKE ILIKE BETWEEN TRUE FALSE ANY ALL SOME');

/** Only where the text shows it for certain: plain tables with commas between them, and no column in WHERE without its table. */
export function unjoinedTables(items: readonly OutlineToken[]): UnjoinedTable[] {
  return items.flatMap((item, index) =>
    isFromOfSelect(items, index) ? unjoinedIn(items, index, item.parent) : [],
  );
}

/** `extract(day FROM at)` and `DELETE FROM` are others. */
function isFromOfSelect(items: readonly OutlineToken[], index: number): boolean {
  const item = items[index];
  if (item?.word !== 'FROM' || item.clause !== 'FROM') return false;
  const before = items
    .slice(0, index)
    .findLast(({ word, parent }) => parent === item.parent && (word === 'SELECT' || word === 'FROM'));
  return before?.word === 'SELECT' && items[index - 1]?.word !== 'DISTINCT';
}

function unjoinedIn(items: readonly OutlineToken[], from: number, parent: number): UnjoinedTable[] {
  const end = items.findIndex(
    (item, at) =>
      at > from &&
      (item.parent < parent || (item.parent === parent && (behindList.has(item.word) || item.word === ')'))),
  );
  const list = items.slice(from + 1, end === -1 ? undefined : end);
  const tables = splitAtCommas(list).map(tableOf);
  if (tables.length < 2 || tables.includes(undefined)) return [];
  const mentioned =
    end !== -1 && items[end]?.word === 'WHERE' ? qualifiersBehind(items, end, parent) : new Set<string>();
  if (mentioned === undefined) return [];
  const left = tables.flatMap((table) =>
    table !== undefined && !mentioned.has(table.name.toLowerCase()) ? [table] : [],
  );
  // One of them is what the others are joined with.
  return left.length === tables.length ? left.slice(1) : left;
}

function splitAtCommas(list: readonly OutlineToken[]): OutlineToken[][] {
  const parts: OutlineToken[][] = [[]];
  for (const item of list) {
    if (item.word === ',') parts.push([]);
    else parts.at(-1)?.push(item);
  }
  return parts;
}

/** `shop.item AS i`; undefined for joins, functions, subqueries and anything else. */
function tableOf(part: readonly OutlineToken[]): UnjoinedTable | undefined {
  const [first, last] = [part[0], part.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const text = part
    .map(({ word, token }) => (word === '.' || word === 'AS' ? word : isName(token) ? 'name' : '?'))
    .join(' ');
  if (!/^name(?: \. name)*(?: (?:AS )?name)?$/.test(text)) return undefined;
  return { first, last, name: nameOf(last) };
}

function isName({ kind }: OutlineToken['token']): boolean {
  return kind === 'word' || kind === 'quoted-name';
}

function nameOf({ token }: OutlineToken): string {
  return token.kind === 'quoted-name' ? token.text.slice(1, -1) : token.text;
}

/** The tables before dots in WHERE, in lower case; undefined where a column, function or subquery may be of any table. */
function qualifiersBehind(
  items: readonly OutlineToken[],
  where: number,
  parent: number,
): ReadonlySet<string> | undefined {
  const found = new Set<string>();
  for (let at = where + 1; at < items.length; at += 1) {
    const item = items[at];
    if (item === undefined || item.parent < parent) break;
    if (item.parent === parent && (item.word === ')' || behindList.has(item.word))) break;
    if (!isName(item.token) || words.has(item.word)) continue;
    if (items[at - 1]?.word === '.') continue;
    if (items[at + 1]?.word !== '.') return undefined;
    found.add(nameOf(item).toLowerCase());
  }
  return found;
}
