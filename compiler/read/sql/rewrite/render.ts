/** The fixed SQL string of a statement. */
import type { LoweredSql } from './lower.js';

/**
 * The SQL with its markers (`$1` … for PostgreSQL, `?` for MySQL); undefined if an IN list makes their number vary. `parts` can also be the
 * parts before an added RETURNING.
 */
export function renderSql(
  { dialect, parts: all }: Pick<LoweredSql, 'dialect' | 'parts'>,
  parts = all,
): string | undefined {
  let count = 0;
  let text = '';
  for (const part of parts) {
    if (part.kind === 'text') text += part.text;
    else if (part.kind === 'value') {
      count += 1;
      text += dialect === 'postgresql' ? `$${count}` : '?';
    } else if (part.kind === 'same') text += `$${part.value + 1}`;
    else return undefined;
  }
  return text;
}
