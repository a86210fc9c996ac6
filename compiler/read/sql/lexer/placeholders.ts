/** How the lexer reads the placeholders of a SQL text, by the form that the text has. */
import type { Expression, Syntax } from '../../expression/ast.js';
import type { Notation } from '../../expression/notation.js';
import {
  looksLikePlaceholder,
  parsePlaceholder,
  tryPlaceholder,
} from '../../expression/parse/placeholder.js';
import type { Sink } from '../../diagnostics/finding.js';
import type { ScalarText } from '../../source.js';

/** SQL as `query`, or as `sql` with `query` and `parameters`, whose expressions are undefined after an error. */
export type Form =
  | ({ readonly kind: 'query' } & Notation)
  | { readonly kind: 'sql'; readonly parameters: readonly (Expression | undefined)[] };

/** Every `start` is the index after `:[`. */
export interface Placeholders {
  /** True if the next characters begin like a reference, so that they cannot be plain text. */
  looksLike(start: number): boolean;
  /** The placeholder, whose errors are reported; undefined if the characters are plain text. */
  read(start: number): { expression: Expression | undefined; end: number } | undefined;
  /** The index after the placeholder's `]`; undefined when it cannot be read. Reports nothing. */
  tryRead(start: number): number | undefined;
}

/** For SQL without placeholders, such as a schema. */
export const noPlaceholders: Placeholders = {
  looksLike: () => false,
  read: () => undefined,
  tryRead: () => undefined,
};

export function placeholdersOf(text: ScalarText, form: Form, report: Sink): Placeholders {
  // The sql form belongs to Syntax A.
  const notation: Notation = form.kind === 'query' ? form : { syntax: 'A' };
  const { syntax } = notation;
  const looksLike = (start: number): boolean =>
    looksLikePlaceholder(text.value, start, syntax) || looksForeign(text.value, start, syntax);
  let readable = true;
  const tryRead = (start: number): number | undefined => {
    // One that cannot be read may have cost a look at the whole text: no second try, so that time stays linear.
    if (!readable) return undefined;
    const { end, isClean } = tryPlaceholder(text, start, notation);
    readable = isClean;
    return readable ? end : undefined;
  };
  const read: Placeholders['read'] = (start) => {
    if (form.kind === 'query') return parsePlaceholder(text, start, notation, report);
    return looksLike(start) ? { expression: undefined, end: tryRead(start) ?? start } : undefined;
  };
  return { looksLike, read, tryRead };
}

const reference = /\s*(?:param|body)\s*\./y;

/** True for a placeholder of the other syntax, which is not plain text either. */
function looksForeign(text: string, start: number, syntax: Syntax): boolean {
  if (syntax === 'B') return looksLikePlaceholder(text, start, 'A');
  reference.lastIndex = start;
  return reference.test(text);
}
