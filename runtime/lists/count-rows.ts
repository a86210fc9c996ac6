/** The number of rows of a list, without its order and pages. */
import type { Row } from '../handler/json.js';
import type { SqlTemplate } from '../sql/sql-template.js';
import { countBegin, countEnd } from './ordered-sql.js';
import { wrapped } from './wrapped-template.js';

/** The statement of `countSql`, for an inner statement with a variable number of placeholders. */
export function countTemplate(inner: SqlTemplate, max: number): SqlTemplate {
  return wrapped(inner, countBegin, [countEnd(max)]);
}

/** The total in the result of that SELECT; null above the maximum. */
export function totalOf([row]: readonly Row[], max: number): number | null {
  const total = Number(row?.['total'] ?? 0);
  return total > max ? null : total;
}

/**
 * The number of the last page that requests can read, at least 1; null if it is not known. `total` is null above `maxTotal`, and
 * `maxOffset` is the maximum number of rows before a page.
 */
export function lastPage(
  total: number | null,
  size: number,
  maxTotal: number,
  maxOffset: number,
): number | null {
  const reachable = Math.floor(maxOffset / size) + 1;
  if (total !== null) return Math.min(Math.max(1, Math.ceil(total / size)), reachable);
  return reachable <= Math.ceil((maxTotal + 1) / size) ? reachable : null;
}
