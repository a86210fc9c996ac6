/**
 * Placeholders that share one parameter on PostgreSQL. In `GROUP BY date_trunc(:[PARAM(unit)], at)` the server recognizes the expression of
 * the SELECT list only if both use the same `$1`; different parameters could have different types.
 */
import type { Expression } from '../../expression/ast.js';
import { contains } from '../../expression/visit.js';
import type { Query, SqlNode, SqlTree } from '../parse/tree.js';

/** The placeholders that equal an earlier one, as item indexes: later to earlier. */
export function equalPlaceholders(tree: SqlTree): ReadonlyMap<number, number> {
  const { items } = tree;
  if (items.filter(({ token }) => token.kind === 'placeholder').length < 2) return new Map();
  const queries = queriesOf(tree);
  const compared = comparable(tree);
  const positions = new Map(compared.map(({ index }, position) => [index, position]));
  const byKey = new Map<string, number[]>();
  for (const [position, { key }] of compared.entries()) {
    const others = byKey.get(key);
    if (others === undefined) byKey.set(key, [position]);
    else others.push(position);
  }
  const alike = (position: number): readonly number[] => byKey.get(compared[position]?.key ?? '') ?? [];
  const same = new Union();
  const seen = new Set<string>();
  for (const { first, last } of sortElements(tree)) {
    const [from, to] = [positions.get(first), positions.get(last)];
    if (from === undefined || to === undefined) continue;
    const stretch = compared.slice(from, to + 1);
    const placeholders = [...stretch.keys()].filter((offset) => isPlaceholder(items, stretch[offset]));
    // A repeated element would match the same items as its first occurrence.
    const written = JSON.stringify([queries.get(first)?.first, ...stretch.map(({ key }) => key)]);
    if (placeholders.length === 0 || seen.has(written)) continue;
    seen.add(written);
    const rarest = [...stretch.keys()].reduce((best, offset) =>
      alike(from + offset).length < alike(from + best).length ? offset : best,
    );
    for (const other of alike(from + rarest)) {
      const start = other - rarest;
      if (start === from || !matches(compared, from, to, start)) continue;
      for (const offset of placeholders) {
        const [index, found] = [compared[from + offset]?.index ?? -1, compared[start + offset]?.index ?? -1];
        if (queries.get(found) === queries.get(index)) same.add(found, index);
      }
    }
  }
  return same.earlier();
}

function isPlaceholder(items: SqlTree['items'], compared: Comparable | undefined): boolean {
  return compared !== undefined && items[compared.index]?.token.kind === 'placeholder';
}

export interface Comparable {
  readonly index: number;
  /** Equal for items with the same meaning. */
  readonly key: string;
}

/** The items without table qualifiers: `e.at` can be the same column as `at`. */
export function comparable({ items, nodes }: SqlTree): Comparable[] {
  const qualifiers = new Set(nodes.flatMap((node) => (node.kind === 'name' ? node.parts.slice(0, -1) : [])));
  return items.flatMap(({ token, word }, index) => {
    if (qualifiers.has(index) || word === '.') return [];
    if (token.kind !== 'placeholder') return [{ index, key: word === '' ? token.text : word }];
    const { expression } = token;
    // Every UUID call returns a different value.
    const isAlone = expression === undefined || contains(expression, 'uuid');
    return [{ index, key: isAlone ? `:${index}` : `:[${expressionKey(expression)}]` }];
  });
}

function matches(compared: readonly Comparable[], from: number, to: number, start: number): boolean {
  for (let offset = 0; offset <= to - from; offset += 1) {
    if (compared[from + offset]?.key !== compared[start + offset]?.key) return false;
  }
  return true;
}

/** The innermost query around each name and placeholder, keyed by the index of its last item. */
export function queriesOf({ nodes }: SqlTree): ReadonlyMap<number, Query | undefined> {
  return new Map(nodes.map((node) => [node.kind === 'name' ? node.last : node.first, node.query]));
}

/**
 * The elements of GROUP BY, ORDER BY and DISTINCT ON, including those inside ROLLUP, CUBE and GROUPING SETS, but not those of aggregates
 * and windows.
 */
export function sortElements({ nodes, items }: SqlTree): SqlNode[] {
  const elements: SqlNode[] = [];
  const add = (node: SqlNode): void => {
    const element = node.kind === 'sort-key' ? node.value : node;
    const isGrouping =
      element.kind === 'call' && /^(?:ROLLUP|CUBE|SETS)$/.test(items[element.name.first]?.word ?? '');
    if (isGrouping) element.arguments.forEach(add);
    else if (element.kind === 'parentheses') element.elements.forEach(add);
    elements.push(element);
  };
  for (const node of nodes)
    if (
      node.kind === 'clause' &&
      node.parent?.kind === 'query' &&
      /^(?:GROUP|ORDER|DISTINCT)$/.test(node.name)
    )
      node.children.forEach(add);
  return elements;
}

/** Disjoint sets of equal indexes, each identified by its smallest index. */
class Union {
  readonly #parents = new Map<number, number>();

  add(one: number, other: number): void {
    const [a, b] = [this.#rootOf(one), this.#rootOf(other)];
    if (a !== b) this.#parents.set(Math.max(a, b), Math.min(a, b));
  }

  earlier(): ReadonlyMap<number, number> {
    return new Map([...this.#parents.keys()].map((index) => [index, this.#rootOf(index)]));
  }

  #rootOf(index: number): number {
    let root = index;
    for (;;) {
      const parent = this.#parents.get(root);
      if (parent === undefined) break;
      root = parent;
    }
    // Path compression.
    if (root !== index) this.#parents.set(index, root);
    return root;
  }
}

/** Equal for expressions that differ only in their source positions. */
export function expressionKey(expression: Expression): string {
  return JSON.stringify(expression, (name, value: unknown) =>
    name === 'span' || name === 'nameSpan' ? undefined : value,
  );
}
