/** The tree of a statement as text, for tables of tests: every node with its strings, item references and flags. */
import type { SqlNode, SqlTree } from '../../compiler/read/sql/parse/tree.js';

/**
 * Prints nodes like `(column alias=B: A)`: strings as their text, numbers as the item with that index, flags and lists of words only if
 * set.
 */
export function outlineOf({ root, items }: SqlTree): string {
  const textOf = (first: number, last = first): string =>
    items
      .slice(first, last + 1)
      .map(({ word, token }) => (word === '' ? token.text : word))
      .join(' ');
  const print = (node: SqlNode): string => {
    const facts = Object.entries(node as unknown as Record<string, unknown>).flatMap(([key, value]) => {
      if (['kind', 'first', 'last'].includes(key)) return [];
      if (typeof value === 'string') return [value];
      if (typeof value === 'number') return [`${key}=${textOf(value)}`];
      if (isTexts(value) && value.some((text) => text !== '')) return [`${key}=[${value.join('|')}]`];
      return value === true ? [key] : [];
    });
    const { kind, children, first, last } = node;
    if (children.length === 0 && ['name', 'constant', 'star'].includes(kind)) return textOf(first, last);
    const inside = children.length === 0 ? textOf(first, last) : children.map(print).join(', ');
    return `(${[kind, ...facts].join(' ')}: ${inside})`;
  };
  return print(root);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
}
