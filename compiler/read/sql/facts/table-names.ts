/** The tables that a statement reads and changes, as far as its SQL shows them. */
import type { Dialect } from '../dialect.js';
import type { SqlNode, SqlTree, Table, WithQuery } from '../parse/tree.js';
import type { ParsedSql } from '../parse/tree.js';
import { wordSet } from '../../wordset.js';
import { nameText, plain } from './server-names.js';

export interface TableNames {
  /** Distinct table names in source order, as known to the server. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** Names of WITH queries and functions are left out. `isCounted`: which tables are wanted. */
export function tableNames(
  { dialect, pieces: { tree } }: ParsedSql,
  isCounted: (table: Table) => boolean = () => true,
): TableNames {
  const reads = new Set<string>();
  const writes = new Set<string>(truncated(tree, dialect));
  const queries = withQueries(tree);
  for (const node of tree.nodes) {
    if (node.kind !== 'table' || !isCounted(node)) continue;
    const isChanged = isTarget(node);
    const table = isChanged ? aliased(tree, node) : node;
    const name = nameText(tree, table.name, dialect);
    if (!queries.has(name.toLowerCase())) (isChanged ? writes : reads).add(name);
  }
  return { reads: [...reads], writes: [...writes] };
}

/**
 * Whether the statement changes the table: the table of INSERT and MERGE, the tables of DELETE, and the first table of UPDATE (others are
 * joined).
 */
function isTarget(node: Table): boolean {
  const { clause, query } = node;
  if (clause?.name === 'DELETE') return true;
  if (clause?.name === 'INTO') return query?.verb !== 'SELECT';
  if (clause?.name !== 'UPDATE') return false;
  let first: SqlNode | undefined = clause.children[0];
  while (first?.kind === 'join') first = first.left;
  return first === node;
}

/** The table with that alias: `DELETE a FROM item AS a`, `DELETE FROM a USING item AS a`. */
function aliased({ items }: SqlTree, node: Table): Table {
  if (node.clause?.name !== 'DELETE') return node;
  const called = plain(items[node.name.first]);
  const sources = node.query?.clauses.filter(({ name }) => name === 'FROM' || name === 'USING') ?? [];
  const open: SqlNode[] = sources.flatMap(({ children }) => children);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === 'table' && next.alias !== undefined && plain(items[next.alias]) === called) return next;
    if (next.kind === 'join' || next.kind === 'parentheses') open.push(...next.children);
  }
  return node;
}

function truncated(tree: SqlTree, dialect: Dialect): string[] {
  const { main } = tree;
  if (main.verb !== 'TRUNCATE') return [];
  const names = main.clauses.flatMap(({ children }) => children.flatMap((child) => child.children));
  return names.flatMap((name) =>
    name.kind === 'name' && !behindTables.has(tree.items[name.first]?.word ?? '')
      ? [nameText(tree, name, dialect)]
      : [],
  );
}

/** Words that can follow the tables of TRUNCATE. */
const behindTables = wordSet('RESTART CONTINUE IDENTITY CASCADE RESTRICT');

/** The WITH queries, keyed by lower-case name. */
export function withQueries({ items, nodes }: SqlTree): ReadonlyMap<string, readonly WithQuery[]> {
  const queries = new Map<string, WithQuery[]>();
  for (const node of nodes) {
    if (node.kind !== 'with-query') continue;
    const name = plain(items[node.name]);
    queries.set(name, [...(queries.get(name) ?? []), node]);
  }
  return queries;
}
