/** The columns to which a statement writes values unchanged: `INSERT INTO t (a) VALUES (:[x])`, `UPDATE t SET a = :[x]`. */
import type { Expression } from '../../expression/ast.js';
import { clauseOf, unwrapped, type ParsedSql, type Query, type SqlNode } from '../parse/tree.js';
import { tableNames } from './table-names.js';

/** Table and column names without quotes. */
export interface WrittenColumn {
  readonly table: string;
  readonly column: string;
  readonly value: Expression;
}

/** The columns that the statement writes; empty if it changes several tables, or if IGNORE can replace invalid values. */
export function writtenColumns(statement: ParsedSql): WrittenColumn[] {
  const { items, main } = statement.pieces.tree;
  const [table, ...others] = tableNames(statement).writes;
  const isIgnoring = main.clauses[0]?.modifiers.includes('IGNORE') === true;
  if (table === undefined || others.length > 0 || isIgnoring) return [];
  return writes(main).flatMap(({ column, value }) => {
    const expression = valueIn(value);
    if (column?.kind !== 'name' || expression === undefined) return [];
    return [
      { table: bareName(table), column: bareName(items[column.last]?.token.text ?? ''), value: expression },
    ];
  });
}

/** A written column and its value. */
export interface Write {
  readonly column: SqlNode | undefined;
  readonly value: SqlNode;
}

/** The assignments of an UPDATE, the values of an INSERT's rows, or the columns of its query. */
export function writes(query: Query): Write[] {
  const assigned = clauseOf(query, 'SET');
  if (assigned !== undefined) return assignmentsIn(assigned.children);
  const columns = clauseOf(query, 'COLUMNS')?.children ?? [];
  return rowsOf(query).flatMap((row) => row.map((value, index) => ({ column: columns[index], value })));
}

/** The values of each row of an INSERT. */
export function rowsOf(query: Query): (readonly SqlNode[])[] {
  return (clauseOf(query, 'VALUES')?.children ?? []).flatMap((row) => {
    if (row.kind === 'parentheses') return [row.elements];
    return row.kind === 'call' ? [row.arguments] : [];
  });
}

export function assignmentsIn(children: readonly SqlNode[]): Write[] {
  return children.flatMap((child) => {
    if (child.kind !== 'assignment' || child.value === undefined || child.targets.length !== 1) return [];
    return [{ column: child.targets[0], value: child.value }];
  });
}

function valueIn(value: SqlNode): Expression | undefined {
  const inner = unwrapped(value);
  const plain = inner.kind === 'cast' && !inner.isFunction ? unwrapped(inner.value) : inner;
  return plain.kind === 'placeholder' ? plain.expression : undefined;
}

/** The last part of a name, unquoted: `shop`.`Item` → Item. */
export function bareName(written: string): string {
  return written.slice(written.lastIndexOf('.') + 1).replaceAll(/["`]/g, '');
}
