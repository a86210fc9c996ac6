/** Names as the server knows them, and names as written in the SQL. */
import type { Dialect } from '../dialect.js';
import type { Item, Name, SqlNode, SqlTree } from '../parse/tree.js';

/**
 * PostgreSQL folds unquoted names to lower case; MySQL matches `a` in any letter case. Undefined if the SQL alone does not determine the
 * name: escapes (`U&"…"`), and non-ASCII letters, which are folded only in some database encodings.
 */
export function identifier({ token }: Item, dialect: Dialect): string | undefined {
  const { text } = token;
  if (token.kind === 'word') return dialect === 'postgresql' ? folded(text) : text;
  const quote = text.charAt(0);
  if (!['"', '`', ...(dialect === 'mysql' ? ["'"] : [])].includes(quote)) return undefined;
  return text.slice(1, -1).replaceAll(quote + quote, quote);
}

function folded(name: string): string | undefined {
  const lower = name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return lower === name.toLowerCase() ? lower : undefined;
}

/** The parts of a name, joined by dots; a part that the SQL does not determine is left as written. */
export function nameText({ items }: SqlTree, { parts }: Name, dialect: Dialect): string {
  const texts = parts.map((index) => {
    const item = items[index];
    return item === undefined ? '' : (identifier(item, dialect) ?? item.token.text);
  });
  return texts.join('.');
}

/** The last part of a name, unquoted and in lower case, because servers differ in case sensitivity. */
export function lastPart({ items }: SqlTree, { parts }: Name): string {
  return plain(items[parts.at(-1) ?? -1]);
}

/** The name in lower case and without quotes. */
export function plain(item: Item | undefined): string {
  return (item?.token.text ?? '').replaceAll(/^["`]|["`]$/g, '').toLowerCase();
}

/** The tokens of the node on one line, separated by spaces. */
export function tokensOf({ items }: SqlTree, { first, last }: Pick<SqlNode, 'first' | 'last'>): string {
  return items
    .slice(first, last + 1)
    .map(({ token }) => token.text)
    .join(' ');
}
