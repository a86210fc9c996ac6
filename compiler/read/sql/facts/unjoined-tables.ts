/** Tables of a SELECT that no condition joins with the other tables of FROM: every row is combined with every row of the others. */
import { clauseOf, descendants, type Query, type SqlTree, type Table } from '../parse/tree.js';
import { plain } from './server-names.js';
import { wordSet } from '../../wordset.js';

/** Reports only certain cases: plain tables separated by commas, and only qualified columns in WHERE. */
export function unjoinedTables(tree: SqlTree): Table[] {
  return tree.nodes.flatMap((node) =>
    node.kind === 'query' && node.verb === 'SELECT' && !node.isCombined ? unjoinedIn(node, tree) : [],
  );
}

/** The table's alias or name in the statement. */
export function calledIn({ items }: SqlTree, { alias, name }: Table): string {
  return (items[alias ?? name.last]?.token.text ?? '').replaceAll(/^["`]|["`]$/g, '');
}

function unjoinedIn(query: Query, tree: SqlTree): Table[] {
  const list = clauseOf(query, 'FROM')?.children ?? [];
  const tables = list.filter((node) => node.kind === 'table');
  if (tables.length < 2 || tables.length < list.length) return [];
  const mentioned = qualifiersIn(query, tree);
  if (mentioned === undefined) return [];
  const left = tables.filter((table) => !mentioned.has(calledIn(tree, table).toLowerCase()));
  // If no table is mentioned, the first one is the table to which the others should be joined.
  return left.length === tables.length ? left.slice(1) : left;
}

const certain = wordSet('clause operation parentheses string number word placeholder cast type typed');

/** The lower-case table qualifiers in WHERE; undefined if a column, function or subquery could refer to any table. */
function qualifiersIn(query: Query, { items }: SqlTree): ReadonlySet<string> | undefined {
  const where = clauseOf(query, 'WHERE');
  const found = new Set<string>();
  for (const node of where === undefined ? [] : descendants(where)) {
    if (node.kind === 'name' && node.parts.length > 1) found.add(plain(items[node.parts.at(-2) ?? -1]));
    else if (!certain.has(node.kind)) return undefined;
  }
  return found;
}
