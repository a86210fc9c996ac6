/** Checks the columns of an INSERT, and the number of values per row. */
import { rowsOf } from '../../../../read/sql/facts/written-columns.js';
import { clauseOf, type SqlNode, type SqlTree } from '../../../../read/sql/parse/tree.js';
import { spanOfNode } from '../../../../read/sql/sql-text.js';
import { error } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { refusingRule } from '../../sql/sql-rule.js';
import { sentStatement } from '../../sql/sent-statement.js';

/** Reports the first row with a different number of values. */
export const sqlInsertCount = refusingRule(
  {
    'sql-insert-count': error(
      { without: 'text' },
      (p: { columns: number; values: number; without?: string | undefined }) => ({
        message: `${counted(p.columns, 'column')} but ${counted(p.values, 'value')} in this INSERT.`,
        hint:
          p.without === undefined
            ? 'Name a column for each value.'
            : `Write a value for each column; the first without one is ${p.without}.`,
      }),
    ),
  },
  (sql, report) => {
    const sent = sentStatement(sql);
    if (sent === undefined) return;
    const { main, items } = sent.tree;
    const columns = clauseOf(main, 'COLUMNS')?.children ?? [];
    if (columns.length === 0 || !columns.every(({ kind }) => kind === 'name' || kind === 'access')) return;
    for (const values of [...rowsOf(main), selected(main.parts[0])]) {
      const [first, last] = [values[0], values.at(-1)];
      // `(row).*` expands to several values; in MySQL, an empty row consists of defaults.
      if (first === undefined || last === undefined || values.length === columns.length) continue;
      if (values.some(isOpen)) continue;
      const missing = columns[values.length];
      report('sql-insert-count', spanOfNode(sql, { first: first.first, last: last.last }, items), {
        columns: columns.length,
        values: values.length,
        ...(missing === undefined ? {} : { without: items[missing.first]?.token.text }),
      });
      return;
    }
  },
);

/** The SELECT list; empty if it cannot be counted. */
function selected(query: SqlTree['main'] | undefined): readonly SqlNode[] {
  if (query === undefined || query.isCombined || query.verb !== 'SELECT') return [];
  return clauseOf(query, 'SELECT')?.children ?? [];
}

/** Whether the value may expand to several values. */
function isOpen(value: SqlNode): boolean {
  if (value.kind === 'column') return isOpen(value.value);
  return value.kind === 'star' || value.kind === 'access' || value.kind === 'opaque';
}

function counted(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
}
