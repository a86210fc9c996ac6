/** How the lexer reads the placeholders in SQL, depending on the form (`query` or `sql`). */
import type { Expression, Syntax } from '../../expression/ast.js';
import type { Notation } from '../../expression/notation.js';
import {
  looksLikePlaceholder,
  parsePlaceholder,
  tryPlaceholder,
} from '../../expression/parse/placeholder.js';
import type { Sink } from '../../diagnostics/finding.js';
import type { ScalarText } from '../../source.js';

/** SQL is either `query`, or `sql` with `query` and `parameters` (undefined after an error). */
export type Form =
  | ({ readonly kind: 'query' } & Notation)
  | { readonly kind: 'sql'; readonly parameters: readonly (Expression | undefined)[] };

/** In all methods, `start` is the index after `:[`. */
export interface Placeholders {
  /** True if the next characters look like a reference, so that they cannot be plain text. */
  looksLike(start: number): boolean;
  /** Reads a placeholder and reports its errors; undefined if the characters are plain text. */
  read(start: number): { expression: Expression | undefined; end: number } | undefined;
  /** The index after the closing `]`; undefined if the placeholder is unreadable. Reports no errors. */
  tryRead(start: number): number | undefined;
}

/** For SQL without placeholders, such as a schema file. */
export const noPlaceholders: Placeholders = {
  looksLike: () => false,
  read: () => undefined,
  tryRead: () => undefined,
};

export function placeholdersOf(text: ScalarText, form: Form, report: Sink): Placeholders {
  // The `sql` form exists only in Syntax A.
  const notation: Notation = form.kind === 'query' ? form : { syntax: 'A' };
  const { syntax } = notation;
  const looksLike = (start: number): boolean =>
    looksLikePlaceholder(text.value, start, syntax) || looksForeign(text.value, start, syntax);
  let readable = true;
  const tryRead = (start: number): number | undefined => {
    // An unreadable placeholder may have required scanning the whole text, so the first one ends all attempts: time stays linear.
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

/** True for a placeholder in the other syntax, which is not plain text either. */
function looksForeign(text: string, start: number, syntax: Syntax): boolean {
  if (syntax === 'B') return looksLikePlaceholder(text, start, 'A');
  reference.lastIndex = start;
  return reference.test(text);
}
