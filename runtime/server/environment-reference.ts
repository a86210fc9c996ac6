/**
 * Conversion of configured names to environment variables (`newsDb` → `NEWS_DB`), and references to variables in values: `${NAME}`,
 * `${NAME:default}` and the shell form `${NAME:-default}`.
 */

/** `${name}` or `${name:fallback}`. */
export interface EnvReference {
  readonly name: string;
  /** The default; undefined if the variable is required. */
  readonly fallback: string | undefined;
}

/** A reference in a string. */
export interface WrittenReference extends EnvReference {
  /** The complete reference, as written. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::(-?)([^}]*))?\}/y;

/**
 * The reference that starts at the position. The default ends at the first `}`. A hyphen after the colon is not part of the default:
 * `${NAME:-x}` has the default x.
 */
export function referenceAt(text: string, start: number): WrittenReference | undefined {
  reference.lastIndex = start;
  const [whole, name = '', , fallback] = reference.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return { name, fallback, text: whole, start, end: start + whole.length };
}

/** All references in the string. `isPlain` returns true for a dollar sign that does not start a reference. */
export function referencesIn(
  text: string,
  isPlain: (position: number) => boolean = () => false,
): WrittenReference[] {
  const found: WrittenReference[] = [];
  // Searched only once: after the last `}` there cannot be a reference, regardless of the number of dollar signs.
  let close = text.indexOf('}');
  for (let index = text.indexOf('$'); index !== -1; index = text.indexOf('$', index + 1)) {
    if (close < index) close = text.indexOf('}', index);
    if (close === -1) break;
    const next = isPlain(index) ? undefined : referenceAt(text, index);
    if (next === undefined) continue;
    found.push(next);
    index = next.end - 1;
  }
  return found;
}

/**
 * A configured name in upper snake case: `newsdb` becomes NEWSDB, `newsDb`, `news-db` and `news.db` become NEWS_DB, `HTTPServer2`
 * becomes HTTP_SERVER2.
 * Variable names only contain A–Z, 0–9 and `_`: accents are removed (`žurnál` becomes ZURNAL), and other letters and digits become U
 * and their code point (`新` becomes U65B0). Different names can map to the same variable; the compiler reports such conflicts.
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
