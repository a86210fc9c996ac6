/** Reports joins of two tables by their own keys although there is a foreign key between them. */
import { warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { equalities } from '../../../../read/sql/facts/equalities.js';
import { plain, lastPart } from '../../../../read/sql/facts/server-names.js';
import {
  clauseOf,
  unwrapped,
  type Name,
  type SqlNode,
  type SqlTree,
} from '../../../../read/sql/parse/tree.js';
import { writtenName } from '../../../../read/sql/quoted-name.js';
import type { SqlStatement } from '../../../../read/sql/statement.js';
import type { KnownTable } from '../../../operations/statements/statement-descriptions.js';
import { rule } from '../../rule.js';

/** `JOIN customer c ON c.id = o.id` where `orders.customer_id` references `customer.id` combines rows whose keys are equal by chance. */
export const sqlKeyJoin = rule(
  {
    'sql-key-join': warning(
      { left: 'text', right: 'text', instead: 'text', target: 'text' },
      (p: { left: string; right: string; instead: string; target: string }) => ({
        message: `The keys '${p.left}' and '${p.right}' belong to two tables, and are equal only by chance.`,
        hint: `Write ${p.instead}, which references ${p.target}.`,
        instead: p.instead,
        isSuggestion: true,
      }),
    ),
  },
  ({ analysis, report }) => ({
    statement: (statement) => {
      const asked = analysis.descriptions.of(statement)?.asked;
      if (asked === undefined) return;
      const { pieces, dialect } = statement;
      for (const { key, other, column } of keyJoins(
        statement,
        analysis.descriptions.tables(asked.datasource),
      ))
        report('sql-key-join', pieces.spanOf(key.node), {
          left: `${key.called}.${key.column}`,
          right: `${other.called}.${other.column}`,
          instead: `${key.called}.${writtenName(column, dialect)}`,
          target: `${other.table.name}.${other.column}`,
        });
    },
  }),
);

/** A compared column, and the name of its table in the statement. */
interface Compared {
  readonly node: Name;
  readonly called: string;
  readonly table: KnownTable;
  /** The column name as spelled by the table. */
  readonly column: string;
}

/** `column` in the table of `key` references `other`. */
interface KeyJoin {
  readonly key: Compared;
  readonly other: Compared;
  readonly column: string;
}

function keyJoins({ pieces: { tree } }: SqlStatement, tables: readonly KnownTable[]): KeyJoin[] {
  const conditions = tree.nodes.flatMap((node): readonly SqlNode[] => {
    if (node.kind === 'join') return node.condition?.name === 'ON' ? node.condition.children : [];
    return node.kind === 'query' ? (clauseOf(node, 'WHERE')?.children ?? []) : [];
  });
  return conditions.flatMap(equalities).flatMap(([left, right]) => {
    const [one, other] = [compared(left, tree, tables), compared(right, tree, tables)];
    if (one === undefined || other === undefined || one.table === other.table) return [];
    if (!isKey(one) || !isKey(other) || references(one, other) || references(other, one)) return [];
    return [keyJoin(one, other) ?? keyJoin(other, one) ?? []].flat();
  });
}

function compared(side: SqlNode, tree: SqlTree, tables: readonly KnownTable[]): Compared | undefined {
  const node = unwrapped(side);
  if (node.kind !== 'name' || node.parts.length !== 2) return undefined;
  const called = plain(tree.items[node.parts[0] ?? -1]);
  const sources = tree.nodes.filter((one) => one.kind === 'table' && one.query === node.query);
  const [source, ...others] = sources.filter((one) => {
    if (one.kind !== 'table') return false;
    return (one.alias === undefined ? lastPart(tree, one.name) : plain(tree.items[one.alias])) === called;
  });
  if (source?.kind !== 'table' || others.length > 0 || source.name.parts.length > 1) return undefined;
  const [table, ...more] = tables.filter(({ name }) => name.toLowerCase() === lastPart(tree, source.name));
  const column = table?.columns.find((name) => name.toLowerCase() === lastPart(tree, node));
  return table === undefined || column === undefined || more.length > 0
    ? undefined
    : { node, called, table, column };
}

/** Whether the column alone is a key of its table. */
function isKey({ table: { keys = [] }, column }: Compared): boolean {
  return keys.some(([first, ...others]) => first === column && others.length === 0);
}

function references(one: Compared, other: Compared): boolean {
  return (one.table.references ?? []).some(
    ({ column, table }) => column === one.column && table === other.table.name,
  );
}

function keyJoin(key: Compared, other: Compared): KeyJoin | undefined {
  const meant = (key.table.references ?? []).filter(
    ({ column, table, target }) =>
      table === other.table.name && target === other.column && column !== key.column,
  );
  const [first] = meant;
  return first && { key, other, column: first.column };
}
