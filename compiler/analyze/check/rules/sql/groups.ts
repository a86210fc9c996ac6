/**
 * Reports expressions that differ only in a placeholder from an expression in GROUP BY: PostgreSQL treats them as different and refuses
 * their columns (42803).
 */
import type { Span } from '../../../../read/source.js';
import { ancestors, type Item, type SqlNode, type SqlTree } from '../../../../read/sql/parse/tree.js';
import {
  comparable,
  sortElements,
  type Comparable,
} from '../../../../read/sql/rewrite/equal-placeholders.js';
import type { SqlStatement } from '../../../../read/sql/statement.js';
import { warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../../rule.js';
import { wordSet } from '../../../../read/wordset.js';

export const sqlGroupDiffers = rule(
  {
    'sql-group-differs': warning(() => ({
      message:
        'PostgreSQL does not recognise the expression of GROUP BY here, because it contains another value.',
      hint: 'Write the same placeholder or value in both.',
    })),
  },
  ({ report }) => ({
    statement: (statement) => {
      for (const span of differingGroups(statement)) report('sql-group-differs', span);
    },
  }),
);

/** The differing placeholders, as in `SELECT date_trunc(:[PARAM(unit)], at) … GROUP BY date_trunc('month', at)`. */
function differingGroups({ dialect, pieces }: Pick<SqlStatement, 'dialect' | 'pieces'>): Span[] {
  const { tree } = pieces;
  if (dialect !== 'postgresql' || !tree.nodes.some((node) => node.kind === 'clause' && node.name === 'GROUP'))
    return [];
  return [...differing(tree)].map((index) => pieces.spanOf({ first: index, last: index }));
}

/** The clauses that are evaluated after grouping. */
const afterGrouping = wordSet('SELECT HAVING ORDER');
const aggregates = wordSet(`
  COUNT SUM AVG MIN MAX ARRAY_AGG STRING_AGG JSON_AGG JSONB_AGG JSON_OBJECT_AGG JSONB_OBJECT_AGG BOOL_AND BOOL_OR EVERY BIT_AND
  BIT_OR BIT_XOR STDDEV STDDEV_POP STDDEV_SAMP VARIANCE VAR_POP VAR_SAMP CORR COVAR_POP COVAR_SAMP RANGE_AGG XMLAGG FILTER GROUP
`);

/** Whether the node is inside an aggregate such as `sum( … )`, which is evaluated before grouping. */
function isAggregated(node: SqlNode, items: readonly Item[]): boolean {
  for (const around of ancestors(node)) {
    if (around.kind === 'query') return false;
    if (around.kind === 'call' && aggregates.has(items[around.name.last]?.word ?? '')) return true;
    if (around.kind === 'clause' && /^(?:FILTER|WITHIN)$/.test(around.name)) return true;
  }
  return false;
}

/** The clause of the query that contains the node. */
function clauseAround(node: SqlNode | undefined): string {
  let clause = node?.clause;
  while (clause !== undefined && clause.parent?.kind !== 'query') clause = clause.clause;
  return clause?.name ?? '';
}

/** Maximum number of pairs of expressions to compare; larger statements are not checked. */
const maxPairs = 20_000;

/** The item indexes of placeholders in which an expression differs from an expression in GROUP BY, on either side. */
function differing(tree: SqlTree): Set<number> {
  const { items } = tree;
  const found = new Set<number>();
  const compared = comparable(tree);
  // The innermost node that begins at each item; names are also found by their last part.
  const nodes = new Map(
    tree.nodes.flatMap((node) => [
      [node.first, node],
      [node.kind === 'name' ? node.last : node.first, node],
    ]),
  );
  const positions = new Map(compared.map(({ index }, position) => [index, position]));
  const starts = new Map<string, number[]>();
  for (const [position, { key, index }] of compared.entries()) {
    if (!afterGrouping.has(clauseAround(nodes.get(index)))) continue;
    const alike = starts.get(key);
    if (alike === undefined) starts.set(key, [position]);
    else alike.push(position);
  }
  const elements = sortElements(tree).filter((node) => node.clause?.name === 'GROUP');
  const columns = new Set(
    elements.flatMap(({ first, last }) => {
      const [from, to] = [positions.get(first) ?? -1, positions.get(last) ?? -2];
      return from === to || last - first === 2 ? [compared[to]?.key ?? ''] : [];
    }),
  );
  // An expression that equals one in GROUP BY may be similar to another one there.
  const near: { readonly start: number; readonly placeholders: readonly number[] }[] = [];
  const same = new Set<number>();
  let pairs = 0;
  for (const { first, last } of elements) {
    const [from, to] = [positions.get(first), positions.get(last)];
    if (from === undefined || to === undefined || to - from < 2) continue;
    for (const start of starts.get(compared[from]?.key ?? '') ?? []) {
      pairs += 1;
      if (pairs > maxPairs) return new Set();
      const other = nodes.get(compared[start]?.index ?? first);
      if (other === undefined || other.query !== nodes.get(first)?.query || isAggregated(other, items))
        continue;
      const placeholders = differences(items, compared, { from, to, start }, columns);
      if (placeholders?.length === 0) same.add(start);
      else if (placeholders !== undefined) near.push({ start, placeholders });
    }
  }
  for (const { start, placeholders } of near)
    if (!same.has(start)) for (const index of placeholders) found.add(index);
  return found;
}

/** The placeholders in which two ranges differ; undefined if there are other differences, or if the ranges contain a grouped column. */
function differences(
  items: readonly Item[],
  compared: readonly Comparable[],
  { from, to, start }: { readonly from: number; readonly to: number; readonly start: number },
  columns: ReadonlySet<string>,
): number[] | undefined {
  const found: number[] = [];
  for (let offset = 0; offset <= to - from; offset += 1) {
    const [one, other] = [compared[from + offset], compared[start + offset]];
    if (one === undefined || other === undefined || columns.has(one.key)) return undefined;
    if (one.key === other.key) continue;
    const pair = [one.index, other.index];
    if (!pair.every((index) => isValue(items[index]))) return undefined;
    const placeholder = pair.find((index) => items[index]?.token.kind === 'placeholder');
    if (placeholder === undefined) return undefined;
    found.push(placeholder);
  }
  return found;
}

function isValue(item: Item | undefined): boolean {
  const kind = item?.token.kind;
  return kind === 'placeholder' || kind === 'literal' || kind === 'number';
}
