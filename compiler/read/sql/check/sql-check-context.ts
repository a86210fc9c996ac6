/** The context of the checks of a SQL text. */
import type { Sink } from '../../diagnostics/finding.js';
import type { Span, ScalarText } from '../../source.js';
import type { Dialect } from '../dialect.js';
import type { Item } from '../parse/tree.js';
import type { Form } from '../lexer/placeholders.js';

/** The type of the fulfillment that a statement is for. */
export type Use = 'READ' | 'UPDATE';

export interface SqlCheckContext {
  readonly text: ScalarText;
  readonly dialect: Dialect;
  readonly form: Form;
  readonly report: Sink;
  /** Where the type of the fulfillment is written, if this is its only statement. */
  readonly type?: Span | undefined;
}

/** The span of an item in the file. */
export function spanOf({ text }: Pick<SqlCheckContext, 'text'>, { token }: Item): Span {
  return text.spanOf(token.start, token.end);
}

/** The span of a node, or of several items, in the file. */
export function spanOfNode(
  { text }: Pick<SqlCheckContext, 'text'>,
  { first, last }: { readonly first: number; readonly last: number },
  items: readonly Item[],
): Span {
  return text.spanOf(items[first]?.token.start ?? 0, items[last]?.token.end ?? text.value.length);
}
