/** Names as the server knows them, and as they are written. */
import type { Dialect } from '../dialect.js';
import type { Item, Name, SqlNode, SqlTree } from '../parse/tree.js';

/**
 * PostgreSQL folds unquoted names, and MySQL matches `a` in any letter case. Undefined if the name depends on more than the SQL: escapes
 * (`U&"…"`), and non-ASCII letters, which databases of some encodings fold.
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

/** The parts of a name, joined by dots; one that is not certain as it is written. */
export function nameText({ items }: SqlTree, { parts }: Name, dialect: Dialect): string {
  const texts = parts.map((index) => {
    const item = items[index];
    return item === undefined ? '' : (identifier(item, dialect) ?? item.token.text);
  });
  return texts.join('.');
}

/** The last part of a name in lower case and without quotes, since servers differ in when case matters. */
export function lastPart({ items }: SqlTree, { parts }: Name): string {
  return plain(items[parts.at(-1) ?? -1]);
}

/** In lower case and without quotes. */
export function plain(item: Item | undefined): string {
  return (item?.token.text ?? '').replaceAll(/^["`]|["`]$/g, '').toLowerCase();
}

/** The text of the node on one line, its tokens with blanks between them. */
export function tokensOf({ items }: SqlTree, { first, last }: Pick<SqlNode, 'first' | 'last'>): string {
  return items
    .slice(first, last + 1)
    .map(({ token }) => token.text)
    .join(' ');
}
