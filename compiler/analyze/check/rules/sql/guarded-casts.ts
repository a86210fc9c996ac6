/** Reports values that are compared with `''` in one place, but have a type in another place for which an empty string is invalid. */
import { refusesEmptyString } from '../../../../read/openapi/empty-string.js';
import { expressionKey } from '../../../../read/sql/rewrite/equal-placeholders.js';
import {
  unwrapped,
  type Cast,
  type Placeholder,
  type SqlNode,
  type SqlTree,
} from '../../../../read/sql/parse/tree.js';
import { warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../../rule.js';

/** On PostgreSQL, a placeholder has the type of its cast, so that `''` is refused before the comparison is evaluated. */
export const sqlGuardedCast = rule(
  {
    'sql-guarded-cast': warning(
      { written: 'text', type: 'text' },
      (p: { written: string; type: string }) => ({
        message: `An empty string is refused here, even if ${p.written} is compared with '' elsewhere: this value is bound as ${p.type}.`,
        hint: `Write ${p.written}::text, so that the cast to ${p.type} is evaluated after the comparison.`,
        instead: `${p.written}::text`,
      }),
    ),
  },
  ({ analysis, report }) => ({
    statement: ({ dialect, pieces }, { operation, loop }) => {
      if (dialect !== 'postgresql') return;
      const { tree } = pieces;
      const guarded = new Set(tree.nodes.flatMap((node) => comparedWithNothing(node, tree)));
      if (guarded.size === 0) return;
      for (const node of tree.nodes) {
        if (node.kind !== 'cast' || textTypes.test(node.type.name)) continue;
        const value = castPlaceholder(node);
        if (value?.expression === undefined || !guarded.has(expressionKey(value.expression))) continue;
        const declared = analysis.declared.of(value.expression, operation, loop);
        // The service refuses such a request before it sends the statement.
        if (declared.length > 0 && declared.every((schema) => refusesEmptyString(schema))) continue;
        const written = tree.items[value.first]?.token.text ?? '';
        report('sql-guarded-cast', pieces.spanOf(value), {
          written,
          type: node.type.name.toLowerCase() + (node.type.isArray ? '[]' : ''),
        });
      }
    },
  }),
);

const textTypes = /^(?:TEXT|VARCHAR|CHARACTER VARYING|CHAR|CHARACTER|BPCHAR|NAME|CITEXT)$/;

function castPlaceholder({ value }: Cast): Placeholder | undefined {
  const inner = unwrapped(value);
  return inner.kind === 'placeholder' ? inner : undefined;
}

/** The key of a value compared with an empty string: `:[x] = ''`, `'' <> :[x]::text`. */
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
