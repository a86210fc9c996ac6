/** Finds `[NOT] IN ( … )` with placeholders: tokens that are replaced at run time if the value is an array. */
import type { Dialect } from '../dialect.js';
import type { Item, Operation, Parentheses, SqlNode, SqlTree, Type } from '../parse/tree.js';
import type { SqlPart } from './text-part.js';

/** Tokens `first` to `last` (inclusive, indexes among all tokens) and the parts that replace them. */
export interface Replacement {
  readonly first: number;
  readonly last: number;
  readonly parts: readonly SqlPart[];
}

export function inListsOf({ nodes, items }: SqlTree, dialect: Dialect): Replacement[] {
  return nodes.flatMap((node) => {
    const list =
      node.kind === 'operation' && /^(?:NOT )?IN$/.test(node.operator) ? node.operands[1] : undefined;
    if (node.kind !== 'operation' || list?.kind !== 'parentheses') return [];
    const parts = dialect === 'postgresql' ? anyOfList(node, list, items) : undefined;
    if (parts === undefined) return replacementsOf(node, list, items);
    return [{ ...span(items, node.operatorItem, list.last), parts }];
  });
}

/**
 * Rewrites `IN (:[list])` to `= ANY(:[list])` on PostgreSQL, and `NOT IN` to `<> ALL`: an array is a single parameter, so the SQL does not
 * depend on its length. The results are identical for null and for empty lists. Undefined unless the list is exactly one placeholder, with
 * or without a cast, and if `=` would bind to the operand before it.
 */
function anyOfList(
  node: Operation,
  { elements }: Parentheses,
  items: readonly Item[],
): SqlPart[] | undefined {
  const [only] = elements;
  const type =
    only?.kind === 'cast' && !only.isFunction && only.value.kind === 'placeholder' ? only.type : undefined;
  if (elements.length !== 1 || (only?.kind !== 'placeholder' && type === undefined)) return undefined;
  if (type?.isArray === true) return undefined;
  // `a = b IN (…)` means `a = (b IN (…))`, and `a = b = ANY (…)` is invalid.
  if (isComparison(node.parent)) return undefined;
  const isNegated = node.operator !== 'IN';
  const word = items[node.operatorItem + (isNegated ? 1 : 0)]?.token.text;
  const [any, all] = word === 'in' ? ['any', 'all'] : ['ANY', 'ALL'];
  const test = isNegated ? `<> ${all}` : `= ${any}`;
  const cast = type === undefined ? '' : `::${typeText(type, items)}[]`;
  return [{ kind: 'text', text: `${test}(` }, { kind: 'value' }, { kind: 'text', text: `${cast})` }];
}

function isComparison(node: SqlNode | undefined): boolean {
  return node?.kind === 'operation' && /^(?:[=<>]|<=|>=|<>|!=)$/.test(node.operator);
}

function typeText({ first, last }: Type, items: readonly Item[]): string {
  let text = '';
  for (const { token } of items.slice(first, last + 1))
    text += /\w$/.test(text) && token.kind === 'word' ? ` ${token.text}` : token.text;
  return text;
}

function replacementsOf(
  node: Operation,
  { elements, last }: Parentheses,
  items: readonly Item[],
): Replacement[] {
  const firstOther = elements.findIndex(({ kind }) => kind !== 'placeholder');
  if (firstOther === -1) {
    const part: SqlPart = { kind: 'in-list', negated: node.operator !== 'IN', count: elements.length };
    return [{ ...span(items, node.operatorItem, last), parts: [part] }];
  }
  return elements.flatMap(({ kind, first, last: end }, position): Replacement[] => {
    if (kind !== 'placeholder') return [];
    return position < firstOther
      ? // Also replaces the comma after the placeholder, with the white space around that comma.
        [{ ...span(items, first, end + 2, -1), parts: [{ kind: 'elements', comma: 'after' }] }]
      : [{ ...span(items, first - 1, end), parts: [{ kind: 'elements', comma: 'before' }] }];
  });
}

/** Converts item indexes to token indexes; `shift` is added to the end. */
function span(
  items: readonly Item[],
  first: number,
  last: number,
  shift = 0,
): { first: number; last: number } {
  const from = items[first];
  const to = items[last];
  if (from === undefined || to === undefined) throw new Error('an IN list outside its statement');
  return { first: from.index, last: to.index + shift };
}
