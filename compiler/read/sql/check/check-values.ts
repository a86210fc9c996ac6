/** Parameters of PostgreSQL whose type their author has to write (see untyped-values.ts). */
import type { Span } from '../../source.js';
import type { SqlStatement } from '../statement.js';
import { typingOf } from '../rewrite/untyped-values.js';
import type { KindOf } from '../facts/value-kind.js';

export interface UntypedValue {
  readonly span: Span;
  /** `in sum( … )`, `beside +`. */
  readonly where: string;
  /** True if the server uses the value as a string, and does not complain. */
  readonly isSilent: boolean;
  /** True for a column of a query that is probably a text. */
  readonly isLikelyText: boolean;
  /** The suggested replacements: `:[param.n]::bigint`. */
  readonly rewrites: readonly string[];
}

export function untypedValues(
  { dialect, pieces }: Pick<SqlStatement, 'dialect' | 'pieces'>,
  kindOf: KindOf,
): UntypedValue[] {
  if (dialect !== 'postgresql') return [];
  const { tree } = pieces;
  return typingOf(tree, kindOf).untyped.map(({ placeholder, where, isSilent, choices, isLikelyText }) => {
    const written = tree.items[placeholder.first]?.token.text ?? '';
    const rewrites = choices.map(({ type, meaning }) => `${written}::${type}${meaning}`);
    return {
      span: pieces.spanOf(placeholder),
      where,
      isSilent,
      isLikelyText: isLikelyText === true,
      rewrites,
    };
  });
}
