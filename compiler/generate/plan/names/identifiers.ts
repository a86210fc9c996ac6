/** Names of the generated code, made from names of the configuration. */
import { sha256 } from './sha256.js';

declare const ofDatasource: unique symbol;

/** The name of a datasource in generated code: `shopDb` for `shop-db`. A type of its own, since its name in the configuration is another string. */
export type DatasourceIdentifier = string & { readonly [ofDatasource]: true };

/** Words that cannot name a variable in a module, and globals that a variable must not hide. */
const reserved = new Set(
  `abstract any arguments as async await boolean break case catch class const continue debugger declare default delete do else
  enum eval export extends false finally for function get if implements import in infer instanceof interface is keyof let
  module namespace never new null number object of package private protected public readonly require return set static string
  super switch symbol this throw true try typeof undefined unique unknown var void while with yield
  Array Boolean Date Error JSON Map Math NaN Number Object Promise Set String Symbol Infinity console globalThis process`.split(
    /\s+/,
  ),
);

/** File names that some systems keep for devices. */
const reservedFiles = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** `nightly clean-up` → nightlyCleanUp; `suffix` is appended to a reserved word, and replaces a name without letters. */
export function camelCase(text: string, suffix: string): string {
  const words = wordsOf(text);
  const [first, ...others] = words;
  if (first === undefined) return suffix;
  const joined = lowerFirst(first) + others.map(upperFirst).join('');
  const name = /^\d/.test(joined) ? suffix + upperFirst(joined) : joined;
  return reserved.has(name) ? name + upperFirst(suffix) : name;
}

/** The name as a part of another one, where reserved words are allowed: `set` → set, for updateSet. */
export function namePart(text: string): string {
  const name = camelCase(text, '');
  return name === '' ? 'result' : name;
}

/** `GET /news/{id}` as spoken → get-news-by-id. */
export function fileSlug(text: string): string {
  const slug = wordsOf(text)
    .map((word) => word.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase())
    .join('-')
    .slice(0, 80)
    .replace(/-$/, '');
  return slug === '' || reservedFiles.test(slug) ? `operation${slug === '' ? '' : `-${slug}`}` : slug;
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .match(/[A-Za-z0-9]+/g) ?? []
  );
}

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `URL` → url, `Id` → id, `newsDb` → newsDb. */
function lowerFirst(text: string): string {
  return /^[A-Z0-9]+$/.test(text) ? text.toLowerCase() : text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * Makes the wished names unique, also by letter case, among each other and the taken names. All colliding names get a short hash of their
 * text as a suffix, so that a name depends only on its text and on whether it collides. The texts are unique.
 */
export function uniqueNames(
  wished: readonly string[],
  texts: readonly string[],
  taken: readonly string[],
  separator = '_',
): string[] {
  const counts = new Map<string, number>();
  for (const name of wished) counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1);
  const isFree = (name: string): boolean => counts.get(name.toLowerCase()) === 1 && !taken.includes(name);
  const named = (length: number): string[] =>
    wished.map((name, index) =>
      isFree(name) ? name : `${name}${separator}${hash(texts[index] ?? '').slice(0, length)}`,
    );
  // Somebody may have named an operation like the hashed name of another.
  const length = [6, 12, 24, 64].find((length) => allDiffer(named(length), taken));
  if (length === undefined) throw new Error('Two of the texts are the same.');
  return named(length);
}

function hash(text: string): string {
  return sha256(text);
}

/** Whether the names are unique, also by letter case, among each other and the taken names. */
function allDiffer(names: readonly string[], taken: readonly string[]): boolean {
  const folded = new Set(names.map((name) => name.toLowerCase()));
  return folded.size === names.length && !names.some((name) => taken.includes(name));
}
