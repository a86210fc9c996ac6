/** Whether a result column can be null, by its table columns and their use in the statement. */
import { descendants, type SqlNode, type SqlTree } from '../parse/tree.js';
import type { DescribedColumn } from '../statement-description.js';
import type { SqlPieces, SqlStatement } from '../statement.js';
import { lastPart } from './server-names.js';
import { isCount } from './result-columns.js';
import { withQueries } from './table-names.js';

/** True for COUNT, and for a column that is NOT NULL in its table and not on the nullable side of an outer join. `index`: which of the columns it is. */
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

/** True for a column that is nullable in its table, unless the statement excludes null, as in `WHERE … IS NOT NULL`. */
export function isOftenNull({ name, origin }: DescribedColumn, { pieces, verb }: SqlStatement): boolean {
  if (origin?.isNotNull !== false || verb !== 'SELECT') return false;
  return !isBlurred(pieces.tree) && !isMentioned(name, pieces);
}

/** Whether a column of that name occurs elsewhere than in a list of columns: in a WHERE that may exclude some of its values. */
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

/** Whether the name is a column of a list as it is. */
function isColumn({ parent, clause }: SqlNode): boolean {
  return clause?.name === 'SELECT' && (parent?.kind === 'column' || parent?.kind === 'cast');
}

/** Whether a column of a table can be null in the result although the table declares NOT NULL: set operations, groupings, joins. */
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

/** Whether the joined part reads the table: by its name, inside of a query, or through a WITH query. */
function mayRead(
  tree: SqlTree,
  joined: SqlNode,
  table: string,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  return descendants(joined).some((node) => {
    if (node.kind === 'opaque') return true;
    if (node.kind !== 'table') return false;
    // `U&"b"`, whose name is not read.
    if (/^u&/i.test(tree.items[node.name.last]?.token.text ?? '')) return true;
    const name = lastPart(tree, node.name);
    if (name === table) return true;
    if (seen.has(name)) return false;
    const bodies = withQueries(tree).get(name) ?? [];
    return bodies.some(({ body }) => body && mayRead(tree, body, table, new Set([...seen, name])));
  });
}
