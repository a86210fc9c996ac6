/** Whether a result column can be null, according to its table column and its use in the statement. */
import { descendants, type SqlNode, type SqlTree } from '../parse/tree.js';
import type { DescribedColumn } from '../statement-description.js';
import type { SqlPieces, SqlStatement } from '../statement.js';
import { lastPart } from './server-names.js';
import { isCount } from './result-columns.js';
import { withQueries } from './table-names.js';

/**
 * True for COUNT, and for columns that are NOT NULL in their table and not on the nullable side of an outer join. `index` is the position
 * of the result column.
 */
export function isNeverNull({ origin }: DescribedColumn, statement: SqlStatement, index: number): boolean {
  const { tree } = statement.pieces;
  const isCounted = origin === undefined && isCount(statement, index);
  if ((origin?.isNotNull !== true && !isCounted) || isBlurred(tree)) return false;
  if (origin === undefined) return true;
  const table = origin.table.toLowerCase();
  return tree.nodes.every(
    (node) => node.kind !== 'join' || node.type !== 'LEFT' || !mayRead(tree, node.right, table),
  );
}

/** True for a column that is nullable in its table, unless the statement excludes nulls, as in `WHERE … IS NOT NULL`. */
export function isOftenNull({ name, origin }: DescribedColumn, { pieces, verb }: SqlStatement): boolean {
  if (origin?.isNotNull !== false || verb !== 'SELECT') return false;
  return !isBlurred(pieces.tree) && !isMentioned(name, pieces);
}

/** Whether the column name occurs outside of column lists, for example in a WHERE clause that may exclude some values. */
export function isMentioned(name: string, { tree }: SqlPieces): boolean {
  const wanted = name.toLowerCase();
  return tree.nodes.some(
    (node) =>
      node.kind === 'name' &&
      node.clause?.name !== 'RETURNING' &&
      !isColumn(node) &&
      lastPart(tree, node) === wanted,
  );
}

/** Whether the name is an unchanged (or cast) column of a SELECT list. */
function isColumn({ parent, clause }: SqlNode): boolean {
  return clause?.name === 'SELECT' && (parent?.kind === 'column' || parent?.kind === 'cast');
}

/** Whether a NOT NULL column of a table can be null in the result because of set operations, grouping or joins. */
function isBlurred({ nodes, items }: SqlTree): boolean {
  return nodes.some((node) => {
    switch (node.kind) {
      case 'query':
        return node.operators.length > 0 || node.verb === 'MERGE';
      case 'join':
        return node.type === 'RIGHT' || node.type === 'FULL';
      case 'clause':
        // `RETURNING WITH (OLD AS o) o.name`
        return node.modifiers.includes('ROLLUP') || (node.name === 'RETURNING' && node.modifiers.length > 0);
      case 'call':
        return /^(?:ROLLUP|CUBE|SETS)$/.test(items[node.name.first]?.word ?? '');
      case 'name':
        return node.clause?.name === 'RETURNING' && /^(?:OLD|NEW)$/.test(items[node.first]?.word ?? '');
      default:
        return false;
    }
  });
}

/** Whether the joined part reads the table: directly, in a nested query, or through a WITH query. */
function mayRead(
  tree: SqlTree,
  joined: SqlNode,
  table: string,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  return descendants(joined).some((node) => {
    if (node.kind === 'opaque') return true;
    if (node.kind !== 'table') return false;
    // Quoted names with Unicode escapes (`U&"b"`) are not decoded.
    if (/^u&/i.test(tree.items[node.name.last]?.token.text ?? '')) return true;
    const name = lastPart(tree, node.name);
    if (name === table) return true;
    if (seen.has(name)) return false;
    const bodies = withQueries(tree).get(name) ?? [];
    return bodies.some(({ body }) => body && mayRead(tree, body, table, new Set([...seen, name])));
  });
}
