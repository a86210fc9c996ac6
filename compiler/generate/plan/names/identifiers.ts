/** Converts configuration names to names in generated code. */
import { sha256 } from './sha256.js';

declare const ofDatasource: unique symbol;

/** The name of a datasource in generated code: `shopDb` for `shop-db`. A branded type, to prevent mix-ups with the configuration name. */
export type DatasourceIdentifier = string & { readonly [ofDatasource]: true };

/** Words that cannot name a module variable, and globals that must not be shadowed. */
const reserved = new Set(
  `abstract any arguments as async await boolean break case catch class const continue debugger declare default delete do else
  enum eval export extends false finally for function get if implements import in infer instanceof interface is keyof let
  module namespace never new null number object of package private protected public readonly require return set static string
  super switch symbol this throw true try typeof undefined unique unknown var void while with yield
  Array Boolean Date Error JSON Map Math NaN Number Object Promise Set String Symbol Infinity console globalThis process`.split(
    /\s+/,
  ),
);

/** File names reserved for devices on some systems. */
const reservedFiles = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** `nightly clean-up` → nightlyCleanUp; `suffix` is appended to reserved words, and replaces names without letters. */
export function camelCase(text: string, suffix: string): string {
  const words = wordsOf(text);
  const [first, ...others] = words;
  if (first === undefined) return suffix;
  const joined = lowerFirst(first) + others.map(upperFirst).join('');
  const name = /^\d/.test(joined) ? suffix + upperFirst(joined) : joined;
  return reserved.has(name) ? name + upperFirst(suffix) : name;
}

/** The name as part of a longer name, where reserved words are allowed: `set` → set, as in updateSet. */
export function namePart(text: string): string {
  const name = camelCase(text, '');
  return name === '' ? 'result' : name;
}

/** A file name for the spoken form of a request: `GET /news/{id}` → get-news-by-id. */
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

/** Lowercases the start of a name: `URL` → url, `Id` → id, `newsDb` → newsDb. */
function lowerFirst(text: string): string {
  return /^[A-Z0-9]+$/.test(text) ? text.toLowerCase() : text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * Makes the wished names unique, ignoring case, among themselves and the taken names. Every colliding name gets a short hash of its text as
 * a suffix, so that a name only depends on its own text and on whether it collides. The texts must be unique.
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
  // An operation may be named like the hashed name of another operation.
  const length = [6, 12, 24, 64].find((length) => allDiffer(named(length), taken));
  if (length === undefined) throw new Error('Two of the texts are the same.');
  return named(length);
}

function hash(text: string): string {
  return sha256(text);
}

/** Whether the names are unique, ignoring case, among themselves and the taken names. */
function allDiffer(names: readonly string[], taken: readonly string[]): boolean {
  const folded = new Set(names.map((name) => name.toLowerCase()));
  return folded.size === names.length && !names.some((name) => taken.includes(name));
}
