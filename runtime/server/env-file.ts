/**
 * Reads the `.env` file of the service: one `NAME=value` per line, blank lines, and lines that begin with `#`.
 *
 * A value is written in one of three ways, each of which can carry references `${NAME}` and `${NAME:default}`
 * to environment variables (decisions 1.5), except the second:
 *
 * - bare: `A=jdbc:mysql://db:3306/news?ssl=true`. The text as it is, without the blanks around it. It ends at a `#` after
 *   a blank. Simple values in this form mean the same to `docker --env-file`, to dotenv and to a shell.
 * - single quotes: `A='a $ and a "'`. The text as it is; it has no single quote and no line break in it.
 * - double quotes: `A="…"`. Any text at all: `\\` is a backslash, `\"` a quote, `\$` a dollar sign that begins no reference,
 *   `\n` `\r` `\t` the usual characters, `\uXXXX` the UTF-16 unit of that number; every other character stands for
 *   itself. The default of a reference is written with the same escapes and ends at the first `}`.
 *
 * So whoever writes the file: a value of only `A-Z a-z 0-9 _ . / : @ % + , = ? & ~ -` can be bare, also an empty one; any other
 * goes into double quotes, with `\`, `"`, `$` (where no reference is meant), control characters, line and paragraph
 * separators (U+2028, U+2029), U+FEFF and unpaired surrogates escaped.
 */

/** A value whose references are not resolved yet. */
export type EnvText = readonly (string | EnvReference)[];

/** `${name}` or `${name:fallback}`. */
export interface EnvReference {
  readonly name: string;
  /** Undefined where the reference has none: then the variable must be there. */
  readonly fallback: string | undefined;
}

/** What stands in the file. */
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
        `.env, line ${index + 1}: ${entry ? 'the quotes do not fit' : 'not of the form NAME=value'}`,
      );
  }
  return { values, problems };
}

const singleQuoted = /^'([^']*)'\s*(?:#.*)?$/s;
const doubleQuoted = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/s;
const comment = /(?:^|\s)#.*$/s;
const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([^}]*))?\}/y;

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

/** Cuts a value into plain texts and references; `plain` gives the meaning of a plain text. */
function split(text: string, plain: (text: string) => string): EnvText {
  const parts: (string | EnvReference)[] = [];
  let start = 0;
  const addPlain = (end: number) => {
    if (end > start) parts.push(plain(text.slice(start, end)));
  };
  // Looked for once: behind the last one nothing is a reference, however many begin.
  let close = text.indexOf('}');
  for (let index = text.indexOf('$'); index !== -1; index = text.indexOf('$', index + 1)) {
    if (close < index) close = text.indexOf('}', index);
    if (close === -1) break;
    reference.lastIndex = index;
    const match = isEscaped(text, index) && plain === unescape ? null : reference.exec(text);
    if (!match) continue;
    addPlain(index);
    // `${NAME:-default}` is read as shells do (decisions 11.12).
    const fallback = match[2]?.replace(/^-/, '');
    parts.push({ name: match[1] ?? '', fallback: fallback === undefined ? undefined : plain(fallback) });
    start = index + match[0].length;
    index = start - 1;
  }
  addPlain(text.length);
  return parts;
}

/** Whether an odd number of backslashes stands before the character. */
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
