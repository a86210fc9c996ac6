/** Values that are compared with `''` in one place, and have a type in another that the empty string is no value of. */
import { expressionKey } from '../../../../read/sql/rewrite/equal-placeholders.js';
import {
  unwrapped,
  type Cast,
  type Placeholder,
  type SqlNode,
  type SqlTree,
} from '../../../../read/sql/parse/tree.js';
import { spanOfNode } from '../../../../read/sql/sql-text.js';
import { warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { sqlRule } from '../../sql/sql-rule.js';
import { soundTree } from '../../sql/sound-tree.js';

/** PostgreSQL: a placeholder has the type of its cast, so `''` is refused before the statement could look at its guard. */
export const sqlGuardedCast = sqlRule(
  {
    'sql-guarded-cast': warning(
      { written: 'text', type: 'text' },
      (p: { written: string; type: string }) => ({
        message: `An empty string is refused here, whatever the comparison of ${p.written} with '' decides: this one is bound as ${p.type}.`,
        hint: `Write ${p.written}::text, so that the cast to ${p.type} is evaluated after the comparison.`,
        instead: `${p.written}::text`,
      }),
    ),
  },
  (sql, report) => {
    const tree = sql.dialect === 'postgresql' ? soundTree(sql) : undefined;
    if (tree === undefined) return;
    const guarded = new Set(tree.nodes.flatMap((node) => comparedWithNothing(node, tree)));
    if (guarded.size === 0) return;
    for (const node of tree.nodes) {
      if (node.kind !== 'cast' || textTypes.test(node.type.name)) continue;
      const value = castPlaceholder(node);
      if (value?.expression === undefined || !guarded.has(expressionKey(value.expression))) continue;
      const written = tree.items[value.first]?.token.text ?? '';
      report('sql-guarded-cast', spanOfNode(sql, value, tree.items), {
        written,
        type: node.type.name.toLowerCase() + (node.type.isArray ? '[]' : ''),
      });
    }
  },
);

const textTypes = /^(?:TEXT|VARCHAR|CHARACTER VARYING|CHAR|CHARACTER|BPCHAR|NAME|CITEXT)$/;

function castPlaceholder({ value }: Cast): Placeholder | undefined {
  const inner = unwrapped(value);
  return inner.kind === 'placeholder' ? inner : undefined;
}

/** `:[x] = ''`, `'' <> :[x]::text`: the key of the value. */
function comparedWithNothing(node: SqlNode, tree: SqlTree): string[] {
  if (node.kind !== 'operation' || !/^(?:=|<>|!=)$/.test(node.operator)) return [];
  const sides = node.operands.map(unwrapped);
  const isEmptyText = ({ kind, first, last }: SqlNode): boolean =>
    kind === 'string' && first === last && tree.items[first]?.token.text === "''";
  return sides.some(isEmptyText) ? sides.flatMap(keyOf) : [];
}

function keyOf(side: SqlNode): string[] {
  const value = side.kind === 'cast' && textTypes.test(side.type.name) ? castPlaceholder(side) : side;
  return value?.kind === 'placeholder' && value.expression !== undefined
    ? [expressionKey(value.expression)]
    : [];
}
