/** Checks that a tree contains every token of its text once, and that its nodes are at their positions. */
import { expect } from 'vitest';
import type { SqlNode, SqlTree } from '../../compiler/read/sql/parse/tree.js';

/** The items of a node, including those of its children at their positions: no item repeats if the children are disjoint and ordered. */
function itemsOf(node: SqlNode): number[] {
  const found: number[] = [];
  let at = node.first;
  for (const child of node.children) {
    for (; at < child.first; at += 1) found.push(at);
    found.push(...itemsOf(child));
    at = child.last + 1;
  }
  for (; at <= node.last; at += 1) found.push(at);
  return found;
}

export function expectWhole({ root, items, nodes }: SqlTree): void {
  expect(itemsOf(root)).toEqual([...items.keys()]);
  for (const node of nodes) {
    // An empty node, such as a missing part after WITH, ends before it begins.
    expect(node.first).toBeLessThanOrEqual(node.last + 1);
    for (const child of node.children) {
      expect(child.parent).toBe(node);
      expect([child.first < node.first, child.last > node.last]).toEqual([false, false]);
    }
  }
}
