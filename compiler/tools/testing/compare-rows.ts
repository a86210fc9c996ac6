/** Compares expected rows with the rows of a table in any order, because a table without ORDER BY has no order. */
import type { TableRows } from './read/test-model.js';
import { differences, shown, shownValue, type Comparison, type Difference } from './compare-values.js';

/** Rows of a query are compared in order. */
export function rowDifferences(
  { table, rows, isQuery, node }: TableRows,
  actual: readonly Readonly<Record<string, unknown>>[],
  comparison: Comparison,
): Difference[] {
  const name = isQuery ? 'rows' : table.value;
  if (isQuery) return differences(node, actual, comparison, name);
  const left = new Set(actual);
  const missing = rows.filter((row) => {
    const found = [...left].find((one) => differences(row, one, comparison).length === 0);
    if (found === undefined) return true;
    left.delete(found);
    return false;
  });
  const others = [...left];
  return [
    ...missing.flatMap((row, index): Difference[] => {
      const nearest = others[index];
      const path = `${name}[${rows.indexOf(row)}]`;
      if (nearest !== undefined && missing.length === others.length)
        return differences(row, nearest, comparison, path);
      const message = `expected the row ${shown(row)}, but it is missing`;
      return [{ path, span: row.span, message, change: { kind: 'remove', node, entry: row } }];
    }),
    ...(missing.length === others.length ? [] : others).map((row): Difference => {
      const message = `not expected, but there is the row ${shownValue(row)}`;
      return {
        path: name,
        span: node.span,
        message,
        change: { kind: 'add', node, key: undefined, actual: row },
      };
    }),
  ];
}
