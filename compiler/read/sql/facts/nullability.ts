/** Whether a result column can be null, by its columns of tables and by what the statement does with them. */
import type { DescribedColumn } from '../statement-description.js';
import type { OutlineToken } from '../parse/outline.js';
import { isCount } from './result-columns.js';
import type { SqlPieces, SqlStatement } from '../statement.js';
import { withQueries } from './table-names.js';
import { wordSet } from '../lexer/word-set.js';

/** Words with which a column of a table can be null although the table declares NOT NULL. */
const blurring = wordSet('UNION INTERSECT EXCEPT MINUS ROLLUP CUBE SETS RIGHT FULL OLD NEW MERGE');

/** True for COUNT, and for a column that is NOT NULL in its table and not on the nullable side of an outer join. `index`: which of the columns it is. */
export function isNeverNull(
  { origin }: DescribedColumn,
  { pieces, dialect }: SqlStatement,
  index: number,
): boolean {
  const { bounds, verb } = pieces;
  const { items } = bounds;
  const isCounted = origin === undefined && isCount(items, verb, dialect, index);
  if (origin?.isNotNull !== true && !isCounted) return false;
  if (items.some(({ word }) => blurring.has(word))) return false;
  if (origin === undefined) return true;
  return items.every((_, index) => !isOuterOf(items, index, origin.table));
}

/** True for a column that is nullable in its table, unless the statement excludes null, as in `WHERE … IS NOT NULL`. */
export function isOftenNull({ name, origin }: DescribedColumn, { pieces, verb }: SqlStatement): boolean {
  if (origin?.isNotNull !== false || verb !== 'SELECT') return false;
  if (pieces.bounds.items.some(({ word }) => blurring.has(word))) return false;
  return !isMentioned(name, pieces);
}

/** Whether a column of that name occurs elsewhere than in a list of columns: in a WHERE that may exclude some of its values. */
export function isMentioned(name: string, { bounds }: SqlPieces): boolean {
  const wanted = name.toUpperCase();
  return bounds.items.some(
    ({ token, clause }) =>
      nameOf(token.text).toUpperCase() === wanted && clause !== 'SELECT' && clause !== 'RETURNING',
  );
}

function nameOf(text: string): string {
  return text.replaceAll(/["`]/g, '');
}

/** Whether there is a LEFT JOIN of the table, of a WITH query that reads it, or of something else that may contain it. */
function isOuterOf(items: readonly OutlineToken[], index: number, table: string): boolean {
  if (items[index]?.word !== 'LEFT') return false;
  let at = index + 1;
  if (items[at]?.word === 'OUTER') at += 1;
  if (items[at]?.word !== 'JOIN') return false;
  at += 1;
  if (items[at]?.word === 'ONLY') at += 1;
  while (items[at + 1]?.word === '.') at += 2;
  const name = plainName(items[at]);
  // `LATERAL …`, `(…)`, and `U&"b"`, whose name is not read.
  if (name === undefined || name === 'lateral') return true;
  return name === table.toLowerCase() || joinsMore(items, at) || isRead(items, table, name);
}

/** `LEFT JOIN b JOIN c ON … ON …`: what is joined is a join itself. */
function joinsMore(items: readonly OutlineToken[], name: number): boolean {
  const parent = items[name]?.parent;
  const next = items.find(
    (item, index) => index > name && item.parent === parent && endsOperand.has(item.word),
  );
  return next?.word === 'JOIN';
}

const endsOperand = wordSet('ON USING JOIN WHERE');

/** Whether the WITH query of that name mentions the table, or another WITH query that does. */
function isRead(
  items: readonly OutlineToken[],
  table: string,
  query: string,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  if (seen.has(query)) return false;
  const bodies = withQueries(items).get(query) ?? [];
  return bodies.some((open) =>
    items.slice(open + 1, items[open]?.close).some((item) => {
      if (isEscaped(item)) return true;
      const name = plainName(item);
      if (name === undefined) return false;
      return name === table.toLowerCase() || isRead(items, table, name, new Set([...seen, query]));
    }),
  );
}

/** `U&"b"` */
function isEscaped({ token }: OutlineToken): boolean {
  return token.kind === 'quoted-name' && /^u&/i.test(token.text);
}

/** In lower case and without quotes; undefined for what is not a name. */
function plainName(item: OutlineToken | undefined): string | undefined {
  if (item === undefined || isEscaped(item)) return undefined;
  if (item.token.kind !== 'word' && item.token.kind !== 'quoted-name') return undefined;
  const { text } = item.token;
  const name = item.token.kind === 'word' ? text : text.slice(1, -1).replaceAll(/(["`])\1/g, '$1');
  return name.toLowerCase();
}
