/** The tables that a statement names, as far as its SQL shows: read tables and changed tables. */
import type { Dialect } from '../dialect.js';
import type { SqlNode, SqlTree, Table, WithQuery } from '../parse/tree.js';
import type { ParsedSql } from '../parse/tree.js';
import { wordSet } from '../../wordset.js';
import { nameText, plain } from './server-names.js';

export interface TableNames {
  /** Each once, in the order of the text; as the server knows them. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** Names of WITH queries and functions are left out. */
export function tableNames({ dialect, pieces: { tree } }: ParsedSql): TableNames {
  const reads = new Set<string>();
  const writes = new Set<string>(truncated(tree, dialect));
  const queries = withQueries(tree);
  for (const node of tree.nodes) {
    if (node.kind !== 'table') continue;
    const isChanged = isTarget(node);
    const table = isChanged ? aliased(tree, node) : node;
    const name = nameText(tree, table.name, dialect);
    if (!queries.has(name.toLowerCase())) (isChanged ? writes : reads).add(name);
  }
  return { reads: [...reads], writes: [...writes] };
}

/** The table of INSERT and MERGE, the tables of DELETE, and the first table of UPDATE, which can be joined with others. */
function isTarget(node: Table): boolean {
  const { clause, query } = node;
  if (clause?.name === 'DELETE') return true;
  if (clause?.name === 'INTO') return query?.verb !== 'SELECT';
  if (clause?.name !== 'UPDATE') return false;
  let first: SqlNode | undefined = clause.children[0];
  while (first?.kind === 'join') first = first.left;
  return first === node;
}

/** `DELETE a FROM item AS a` and `DELETE FROM a USING item AS a`: the table that is called so. */
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

/** Words of TRUNCATE after its tables. */
const behindTables = wordSet('RESTART CONTINUE IDENTITY CASCADE RESTRICT');

/** The WITH queries by their names, in lower case. */
export function withQueries({ items, nodes }: SqlTree): ReadonlyMap<string, readonly WithQuery[]> {
  const queries = new Map<string, WithQuery[]>();
  for (const node of nodes) {
    if (node.kind !== 'with-query') continue;
    const name = plain(items[node.name]);
    queries.set(name, [...(queries.get(name) ?? []), node]);
  }
  return queries;
}
