/** The tree of a statement as text, for tables of tests. */
import type { SqlNode, SqlTree } from '../../compiler/read/sql/parse/tree.js';

/** A node with children as `(kind: children)`, with what it is called or does; one without as its text. */
export function outlineOf({ root, items }: SqlTree): string {
  const print = (node: SqlNode): string => {
    if (node.children.length === 0)
      return items
        .slice(node.first, node.last + 1)
        .map(({ word, token }) => (word === '' ? token.text : word))
        .join(' ');
    const called = 'operator' in node ? node.operator : 'name' in node ? node.name : undefined;
    const name = typeof called === 'string' ? `${node.kind} ${called}` : node.kind;
    return `(${name}: ${node.children.map(print).join(', ')})`;
  };
  return print(root);
}
