/**
 * Values that are a whole column in the list of SELECT, RETURNING or VALUES. The server assumes type text for a bare parameter in these
 * positions.
 */
import { wrapped, type Query, type SqlNode } from '../parse/tree.js';

export function isListed({ parent }: SqlNode): boolean {
  if (parent?.kind === 'column')
    return parent.clause?.name === 'SELECT' || parent.clause?.name === 'RETURNING';
  return rowsAround(parent) !== undefined;
}

/** The rows of the VALUES list to which the parenthesized node belongs. */
function rowsAround(node: SqlNode | undefined): readonly SqlNode[] | undefined {
  const clause = node?.kind === 'parentheses' ? node.parent : undefined;
  return clause?.kind === 'clause' && clause.name === 'VALUES' ? clause.children : undefined;
}

/** Whether an INSERT stores the columns of the list, so that its table determines their types. */
export function isInsertList(node: SqlNode): boolean {
  if (node.clause?.name === 'RETURNING') return false;
  let query: SqlNode | undefined = node.query;
  while (query?.kind === 'query' && query.parent?.kind === 'query') query = query.parent;
  return query?.kind === 'query' && (query.verb === 'INSERT' || query.verb === 'MERGE');
}

/** Whether the node is a column of a WITH query, a subquery or VALUES in FROM whose type depends only on the node itself. */
export function isInnerColumn(node: SqlNode, isRecursive: boolean): boolean {
  // With several rows, each row influences the column types.
  if ((rowsAround(node.parent)?.length ?? 0) > 1) return false;
  let query: Query | undefined = node.query;
  let isCombined = false;
  while (query?.parent?.kind === 'query') {
    query = query.parent;
    isCombined ||= query.operators.length > 0;
  }
  const around = query?.parent;
  if (query === undefined || around === undefined) return false;
  isCombined ||= query.operators.length > 0;
  if (around.kind === 'subquery') {
    const outer = wrapped(around);
    if (outer.parent?.kind === 'operation' && outer.parent.operator === 'EXISTS') return false;
    if (isListed(outer)) return isInnerColumn(outer, isRecursive);
  }
  return isRecursive || !isCombined;
}
