/** The columns that an INSERT names, and how many values each of its rows has. */
import { rowsOf } from '../facts/written-columns.js';
import { clauseOf, type SqlNode, type SqlTree } from '../parse/tree.js';
import { spanOfNode, type SqlCheckContext } from './sql-check-context.js';

/** Reports the first row with another number of values; false then. */
export function checkInsert(context: SqlCheckContext, tree: SqlTree): boolean {
  const { main, items } = tree;
  const columns = clauseOf(main, 'COLUMNS')?.children ?? [];
  if (columns.length === 0 || !columns.every(({ kind }) => kind === 'name' || kind === 'access')) return true;
  for (const values of [...rowsOf(main), selected(main.parts[0])]) {
    const [first, last] = [values[0], values.at(-1)];
    // `(row).*` is as many values as the row has; an empty row is MySQL's row of defaults.
    if (first === undefined || last === undefined || values.length === columns.length) continue;
    if (values.some(isOpen)) continue;
    const missing = columns[values.length];
    context.report.add(
      'sql-insert-count',
      spanOfNode(context, { first: first.first, last: last.last }, items),
      {
        columns: columns.length,
        values: values.length,
        ...(missing === undefined ? {} : { without: items[missing.first]?.token.text }),
      },
    );
    return false;
  }
  return true;
}

/** The list of a SELECT, where it can be counted. */
function selected(query: SqlTree['main'] | undefined): readonly SqlNode[] {
  if (query === undefined || query.isCombined || query.verb !== 'SELECT') return [];
  return clauseOf(query, 'SELECT')?.children ?? [];
}

/** Whether the value may expand to several. */
function isOpen(value: SqlNode): boolean {
  if (value.kind === 'column') return isOpen(value.value);
  return value.kind === 'star' || value.kind === 'access' || value.kind === 'opaque';
}
