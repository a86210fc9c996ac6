/** Parameters of PostgreSQL whose type their author has to write (see untyped-values.ts). */
import type { Span } from '../../source.js';
import { spanOf } from './sql-check-context.js';
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
  /** What to write instead: `:[param.n]::bigint`. */
  readonly rewrites: readonly string[];
}

export function untypedValues(
  { dialect, pieces }: Pick<SqlStatement, 'dialect' | 'pieces'>,
  kindOf: KindOf,
): UntypedValue[] {
  if (dialect !== 'postgresql') return [];
  const { items } = pieces.bounds;
  return typingOf(items, kindOf).untyped.flatMap(({ index, where, isSilent, choices, isLikelyText }) => {
    const item = items[index];
    if (item === undefined) return [];
    const rewrites = choices.map(({ type, meaning }) => `${item.token.text}::${type}${meaning}`);
    return [{ span: spanOf(pieces, item), where, isSilent, isLikelyText: isLikelyText === true, rewrites }];
  });
}
