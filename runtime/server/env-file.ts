/**
 * Reads the `.env` file of the service: lines of `NAME=value`, empty lines, and comments that begin with `#`.
 *
 *     A=jdbc:mysql://db:3306/news?ssl=true   # bare: without spaces around it; ends at a `#` after a space
 *     B='a $ and a "'                        # single quotes: as it is; no single quote, no line break
 *     C="line\n${HOST:localhost}"            # double quotes: any characters, with escapes
 *
 * - Bare and double-quoted values may contain references `${NAME}` and `${NAME:default}` to environment variables.
 * - Simple bare values mean the same to `docker --env-file`, dotenv and a shell.
 * - Escapes in double quotes: `\\`, `\"`, `\$` (a dollar sign that begins no reference), `\n`, `\r`, `\t`, and `\uXXXX` (a UTF-16 unit).
 *   Every other character is itself. The default of a reference has the same escapes and ends at the first `}`.
 *
 * To write a value: a value of only `A-Z a-z 0-9 _ . / : @ % + , = ? & ~ -` can be bare, also an empty one. Put any other into double
 * quotes, and escape `\`, `"`, `$` (unless it begins a reference), control characters, line and paragraph separators (U+2028, U+2029), U+FEFF
 * and unpaired surrogates.
 */

import { referencesIn, type EnvReference } from './environment-reference.js';

/** A value whose references are not resolved yet. */
export type EnvText = readonly (string | EnvReference)[];

/** The content of the file. */
export interface EnvFile {
  /** A name that is there twice has the value of its last line. */
  readonly values: ReadonlyMap<string, EnvText>;
  /** One sentence for each line that is not understood; none repeats what the line holds. */
  readonly problems: readonly string[];
}

/** Reads the text of the file; never throws. */
export function readEnvFile(text: string): EnvFile {
  const values = new Map<string, EnvText>();
  const problems: string[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const entry = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=(.*)$/s.exec(line);
    const value = entry && readValue((entry[2] ?? '').trim());
    if (value) values.set(entry[1] ?? '', value);
    else
      problems.push(
        `.env, line ${index + 1}: ${entry ? 'the quotes do not match' : 'not of the form NAME=value'}`,
      );
  }
  return { values, problems };
}

const singleQuoted = /^'([^']*)'\s*(?:#.*)?$/s;
const doubleQuoted = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/s;
const comment = /(?:^|\s)#.*$/s;

function readValue(text: string): EnvText | undefined {
  if (text.startsWith("'")) {
    const quoted = singleQuoted.exec(text);
    return quoted ? [quoted[1] ?? ''] : undefined;
  }
  if (text.startsWith('"')) {
    const quoted = doubleQuoted.exec(text);
    return quoted ? split(quoted[1] ?? '', unescape) : undefined;
  }
  return split(text.replace(comment, '').trimEnd(), (part) => part);
}

/** Splits a value into plain strings and references; `plain` returns the meaning of a plain string. */
function split(text: string, plain: (text: string) => string): EnvText {
  const parts: (string | EnvReference)[] = [];
  let start = 0;
  const addPlain = (end: number) => {
    if (end > start) parts.push(plain(text.slice(start, end)));
  };
  const isPlain = (index: number): boolean => plain === unescape && isEscaped(text, index);
  for (const found of referencesIn(text, isPlain)) {
    addPlain(found.start);
    const { name, fallback } = found;
    parts.push({ name, fallback: fallback === undefined ? undefined : plain(fallback) });
    start = found.end;
  }
  addPlain(text.length);
  return parts;
}

/** Whether an odd number of backslashes precedes the character. */
function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text[index - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function unescape(text: string): string {
  return text.replace(
    /\\(?:u([0-9a-fA-F]{4})|(.))/gs,
    (_all, unit: string | undefined, character: string | undefined) =>
      unit === undefined
        ? (escapes[character ?? ''] ?? character ?? '')
        : String.fromCharCode(parseInt(unit, 16)),
  );
}
