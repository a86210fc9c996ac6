/** Whether a result column can be null, by its columns of tables and by what the statement does with them. */
import type { DescribedColumn } from './statement-description.js';
import type { OutlineToken } from './outline.js';
import type { SqlPieces, SqlStatement } from './statement.js';
import { wordSet } from './word-set.js';

/** Words with which a column of a table can be null although the table declares NOT NULL. */
const blurring = wordSet('UNION INTERSECT EXCEPT MINUS ROLLUP CUBE SETS RIGHT FULL OLD NEW MERGE');

/** True for a column that is NOT NULL in its table, and not on the nullable side of an outer join. */
export function isNeverNull({ origin }: DescribedColumn, { pieces }: SqlStatement): boolean {
  if (origin?.isNotNull !== true) return false;
  const { items } = pieces.bounds;
  if (items.some(({ word }) => blurring.has(word))) return false;
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

/** Whether there is a LEFT JOIN of the table, or of something that may contain it. */
function isOuterOf(items: readonly OutlineToken[], index: number, table: string): boolean {
  if (items[index]?.word !== 'LEFT') return false;
  let at = index + 1;
  if (items[at]?.word === 'OUTER') at += 1;
  if (items[at]?.word !== 'JOIN') return false;
  at += 1;
  if (items[at]?.word === 'ONLY') at += 1;
  while (items[at + 1]?.word === '.') at += 2;
  const name = items[at];
  if (name === undefined || (name.token.kind !== 'word' && name.token.kind !== 'quoted-name')) return true;
  if (name.word === 'LATERAL') return true;
  return name.token.text.replaceAll(/["`]/g, '').toLowerCase() === table.toLowerCase();
}
