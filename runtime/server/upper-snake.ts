/** Names of the configuration as environment variables: `newsDb` → `NEWS_DB`. */

/**
 * A configured name in upper snake case: `newsdb` is NEWSDB, `newsDb`, `news-db` and `news.db` are NEWS_DB, `HTTPServer2` is HTTP_SERVER2.
 * Variables have only A–Z, 0–9 and `_`. So accents are removed (`žurnál` is ZURNAL), and any other letter or digit is U and its code point
 * (`新` is U65B0). Different names can have the same variable: the compiler reports that.
 */
export function upperSnake(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .replace(/[^A-Za-z0-9]/gu, (character) => (/[\p{L}\p{N}]/u.test(character) ? codePoint(character) : '_'))
    .replace(/_+/g, '_')
    .replace(/^_|_$/g, '')
    .toUpperCase();
}

function codePoint(character: string): string {
  return `_U${(character.codePointAt(0) ?? 0).toString(16)}_`;
}
