/** Finds parameters in the notation of other systems: `:id`, `:PARAM(id)`. */
import { isSlice, nodesByItem } from '../../../read/sql/parse/tree.js';
import { rewriteOf } from '../../../read/sql/rewrite/meant-placeholder.js';
import type { Foreign } from './bare-constant.js';
import { factOf } from './fact-of.js';
import { sentStatement } from './sent-statement.js';

/** Parameters in the notation of other systems, in source order. In PostgreSQL's `a[1:n]`, the colon is a slice. */
export const bareNames = factOf((sql): readonly Foreign[] => {
  const tree = sentStatement(sql)?.tree;
  if (tree === undefined) return [];
  const { items } = tree;
  const { text, form } = sql;
  const colons = items.flatMap(({ word, token }, index) => {
    const name = items[index + 1]?.token;
    return word === ':' && name?.kind === 'word' && name.start === token.end ? [{ index, name }] : [];
  });
  if (colons.length === 0) return [];
  const around = nodesByItem(tree);
  return colons.flatMap(({ index, name }) => {
    const node = around[index];
    if (node !== undefined && isSlice(node)) return [];
    const open = items[index + 2];
    const path = /^(?:param|body)(?:\.\w+)+/.exec(text.value.slice(name.start))?.[0];
    const end =
      open?.word === '('
        ? (items[open.close]?.token.end ?? name.end)
        : name.start + (path ?? name.text).length;
    const start = items[index]?.token.start ?? name.start;
    return [{ start, end, rewrite: rewriteOf(text.value.slice(name.start, end), form) }];
  });
});
