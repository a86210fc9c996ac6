/** Names of the configuration as environment variables (`newsDb` → `NEWS_DB`), and references to variables in values: `${NAME}`, `${NAME:default}` and, as shells write it, `${NAME:-default}`. */

/** `${name}` or `${name:fallback}`. */
export interface EnvReference {
  readonly name: string;
  /** Undefined without a default: the variable is then required. */
  readonly fallback: string | undefined;
}

/** A reference in a string. */
export interface WrittenReference extends EnvReference {
  /** All of it. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::(-?)([^}]*))?\}/y;

/**
 * The reference that begins at the position. Its default ends at the first `}`. A hyphen after the colon is not part of the default:
 * `${NAME:-x}` has the default x.
 */
export function referenceAt(text: string, start: number): WrittenReference | undefined {
  reference.lastIndex = start;
  const [whole, name = '', , fallback] = reference.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return { name, fallback, text: whole, start, end: start + whole.length };
}

/** All references of the string. `isPlain` returns true for a dollar sign that is not the beginning of a reference. */
export function referencesIn(
  text: string,
  isPlain: (position: number) => boolean = () => false,
): WrittenReference[] {
  const found: WrittenReference[] = [];
  // Searched once: after the last `}` there cannot be a reference, however many dollar signs follow.
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
