/** The columns that an INSERT names, and how many values each of its rows has. */
import { listElements } from '../parse/list-elements.js';
import type { OutlineToken } from '../parse/outline.js';
import type { SqlCheckContext } from './sql-check-context.js';
import { wordSet } from '../lexer/word-set.js';

/** Reports the first row with another number of values; false then. */
export function checkInsert(
  { text, report }: SqlCheckContext,
  items: readonly OutlineToken[],
  verb: OutlineToken,
): boolean {
  const insert = insertOf(items, verb);
  if (insert === undefined) return true;
  const { columns, at } = insert;
  for (const { from, to } of items[at]?.word === 'SELECT' ? selectAt(items, at) : valuesAt(items, at)) {
    const values = elements(items, from, to);
    // `(row).*` is as many values as the row has.
    if (values.length === columns.length || isOpen(items, from, to)) continue;
    const [first, last] = [items[from], items[to - 1]];
    if (first === undefined || last === undefined) continue;
    report.add('sql-insert-count', text.spanOf(first.token.start, last.token.end), {
      columns: columns.length,
      values: values.length,
      ...(values.length < columns.length ? { without: columns[values.length] } : {}),
    });
    return false;
  }
  return true;
}

/** The columns that an INSERT names, and the index of what is behind them: VALUES or a query. */
function insertOf(
  items: readonly OutlineToken[],
  verb: OutlineToken,
): { readonly columns: readonly string[]; readonly at: number } | undefined {
  if (verb.word !== 'INSERT' && verb.word !== 'REPLACE') return undefined;
  const open = items.findIndex(({ word, parent }, index) => {
    return word === '(' && parent === verb.parent && index > items.indexOf(verb);
  });
  const close = items[open]?.close ?? -1;
  const columns = namesIn(items, open, close);
  // `OVERRIDING SYSTEM VALUE`.
  const at = items[close + 1]?.word === 'OVERRIDING' ? close + 4 : close + 1;
  return columns && { columns, at };
}

/** The items of each value that an INSERT writes for a named column, as they are in its rows; none for a query. */
export function insertedValues(
  items: readonly OutlineToken[],
  verb: OutlineToken,
): { readonly column: string; readonly value: readonly OutlineToken[] }[] {
  const insert = insertOf(items, verb);
  if (insert === undefined) return [];
  return valuesAt(items, insert.at).flatMap(({ from, to }) =>
    elements(items, from, to).flatMap((range, index) => {
      const column = insert.columns[index];
      return column === undefined ? [] : [{ column, value: items.slice(range.from, range.to) }];
    }),
  );
}

function valuesAt(items: readonly OutlineToken[], at: number): Range[] {
  const word = items[at]?.word;
  return word === 'VALUES' || word === 'VALUE' ? rowsAt(items, at + 1) : [];
}

/** Items from `from` up to, and without, `to`. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** The names between the parentheses; undefined for anything else, such as a query or nothing. */
function namesIn(items: readonly OutlineToken[], open: number, close: number): string[] | undefined {
  if (open === -1 || close === -1 || close === open + 1) return undefined;
  const before = items[open - 1];
  const isBehindTable = before?.token.kind === 'word' || before?.token.kind === 'quoted-name';
  if (!isBehindTable || notATable.has(before.word)) return undefined;
  const ranges = elements(items, open + 1, close);
  const names = ranges.map(({ from, to }) => nameIn(items.slice(from, to)));
  return names.every((name) => name !== undefined) ? names : undefined;
}

/** Words behind which a parenthesis holds something else than columns. */
const notATable = wordSet('VALUES VALUE PARTITION SELECT SET');

/** The name that the items are, with the dots or the index behind it. */
function nameIn(range: readonly OutlineToken[]): string | undefined {
  const [first] = range;
  const isName = first?.token.kind === 'word' || first?.token.kind === 'quoted-name';
  const next = range[1]?.word;
  return isName && (next === undefined || next === '.' || next === '[') ? first.token.text : undefined;
}

/** The content of each parenthesis of `(…), (…)`; an empty one is MySQL's row of defaults. */
function rowsAt(items: readonly OutlineToken[], start: number): Range[] {
  const rows: Range[] = [];
  let at = start;
  for (let open = items[at]; open?.word === '(' && open.close !== -1; open = items[at]) {
    if (open.close > at + 1) rows.push({ from: at + 1, to: open.close });
    at = open.close + 1;
    if (items[at]?.word !== ',') break;
    at += 1;
  }
  return rows;
}

const listEnds = wordSet(
  'FROM WHERE GROUP HAVING ORDER LIMIT OFFSET FETCH ON FOR UNION EXCEPT INTERSECT RETURNING WINDOW INTO',
);

/** The list of a SELECT, where it can be counted. */
function selectAt(items: readonly OutlineToken[], select: number): Range[] {
  const parent = items[select]?.parent;
  const from = select + 1;
  const end = items.findIndex(
    (item, index) =>
      index > select && item.parent === parent && listEnds.has(item.word) && !isPart(items, index),
  );
  const to = end === -1 ? items.length : end;
  const isPlain = !items.slice(from, to).some(({ word }) => word === 'DISTINCT' || word === '*');
  return isPlain && to > from ? [{ from, to }] : [];
}

/** After these a keyword is a name, or part of an expression: `IS DISTINCT FROM`, `WITHIN GROUP`, `NEXT VALUE FOR`. */
const beforeParts = wordSet('. , AS DISTINCT');

export function isPart(items: readonly OutlineToken[], index: number): boolean {
  const before = items[index - 1]?.word ?? '';
  if (beforeParts.has(before)) return true;
  // Elsewhere these two are names of columns: `SELECT value FROM a`.
  const word = items[index]?.word;
  return (before === 'WITHIN' && word === 'GROUP') || (before === 'VALUE' && word === 'FOR');
}

/** The items between the commas directly inside the range. */
function elements(items: readonly OutlineToken[], from: number, to: number): Range[] {
  return listElements(items, from, to).map(({ first, last }) => ({ from: first, to: last + 1 }));
}

/** Whether a star may expand to several values. */
function isOpen(items: readonly OutlineToken[], from: number, to: number): boolean {
  return items
    .slice(from, to)
    .some(({ word }, index) => word === '*' && items[from + index - 1]?.word === '.');
}
