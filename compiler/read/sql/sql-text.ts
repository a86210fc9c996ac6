/** SQL of the configuration, and the source spans of its parts. */
import type { Span, ScalarText } from '../source.js';
import type { Dialect } from './dialect.js';
import type { Form } from './lexer/placeholders.js';
import type { Token } from './lexer/token.js';
import type { Item, SqlTree } from './parse/tree.js';

/** The type of the fulfillment to which the statement belongs. */
export type Use = 'READ' | 'UPDATE';

export interface SqlText {
  readonly text: ScalarText;
  readonly dialect: Dialect;
  readonly form: Form;
  /** The type of the fulfillment; undefined if unknown. */
  readonly use: Use | undefined;
  /** The span of the fulfillment's type, if this is its only statement. */
  readonly type: Span | undefined;
  /** Tokens as written: in the `sql` form, `?` markers are not placeholders yet. */
  readonly tokens: readonly Token[];
  /** The tree of the first statement; undefined if there is none, or after an unclosed string or comment. */
  readonly tree: SqlTree | undefined;
}

/** The span of an item in the configuration file. */
export function spanOf({ text }: Pick<SqlText, 'text'>, { token }: Item): Span {
  return text.spanOf(token.start, token.end);
}

/** The span of a node or of several items in the configuration file. */
export function spanOfNode(
  { text }: Pick<SqlText, 'text'>,
  { first, last }: { readonly first: number; readonly last: number },
  items: readonly Item[],
): Span {
  return text.spanOf(items[first]?.token.start ?? 0, items[last]?.token.end ?? text.value.length);
}
