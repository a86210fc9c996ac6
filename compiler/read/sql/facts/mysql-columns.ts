/**
 * The columns that the values of an INSERT, REPLACE or UPDATE are passed to: MySQL and MariaDB do not report types of parameters, but they
 * report types of columns.
 */
import { clauseOf, unwrapped, type SqlNode, type SqlTree } from '../parse/tree.js';
import { assignmentsIn, rowsOf, type Write } from './written-columns.js';

/**
 * A SELECT with one column for each placeholder: the column that its value is passed to, else NULL. Undefined if no value is passed to a
 * column directly, or if the statement changes several tables.
 */
export function columnsOf(tree: SqlTree): string | undefined {
  const { main, items } = tree;
  const [target, second] = main.clauses[0]?.children ?? [];
  // With an alias of the table, or other tables, a column's name may need its qualifier.
  if (target?.kind !== 'table' || second !== undefined) return undefined;
  if (target.alias !== undefined && main.verb === 'UPDATE') return undefined;
  const columns = new Map<number, string>();
  for (const { column, value } of writesOf(tree)) {
    const only = unwrapped(value);
    if (only.kind === 'placeholder' && column?.kind === 'name') columns.set(only.first, textOf(column, tree));
  }
  if (columns.size === 0) return undefined;
  const list = items.flatMap(({ token }, index) =>
    token.kind === 'placeholder' ? [columns.get(index) ?? 'NULL'] : [],
  );
  return `SELECT ${list.join(', ')} FROM ${textOf(target.name, tree)}`;
}

function writesOf({ main }: SqlTree): Write[] {
  if (!/^(?:UPDATE|INSERT|REPLACE)$/.test(main.verb)) return [];
  const columns = clauseOf(main, 'COLUMNS')?.children ?? [];
  const named = (values: readonly SqlNode[]): Write[] =>
    values.map((value, index) => ({ column: columns[index], value }));
  return [
    ...assignmentsIn(clauseOf(main, 'SET')?.children ?? []),
    ...rowsOf(main).flatMap(named),
    ...named(selected(main.parts[0])),
    ...assignmentsIn(clauseOf(main, 'DUPLICATE')?.children ?? []),
  ];
}

/** The columns of one query, up to a `*`. */
function selected(query: SqlTree['main'] | undefined): SqlNode[] {
  if (query?.isCombined !== false) return [];
  const values: SqlNode[] = [];
  for (const column of clauseOf(query, 'SELECT')?.children ?? []) {
    if (column.kind !== 'column' || column.value.kind === 'star') break;
    values.push(column.value);
  }
  return values;
}

function textOf({ first, last }: SqlNode, { items }: SqlTree): string {
  return items
    .slice(first, last + 1)
    .map(({ token }) => token.text)
    .join('');
}
