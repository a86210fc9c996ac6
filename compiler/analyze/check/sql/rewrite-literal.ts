/** Suggests a replacement for a string that contains placeholders, using the author's own text. */
import type { Dialect } from '../../../read/sql/dialect.js';
import { keywords } from '../../../read/sql/lexer/sql-keywords.js';
import { rewriteJson } from './rewrite-json.js';
import type { EnclosedToken, Token } from '../../../read/sql/lexer/token.js';
import { wordSet } from '../../../read/wordset.js';

export interface Rewrite {
  /** The range of the author's text to replace. */
  readonly written: string;
  readonly rewrite: string | undefined;
}

/** MySQL types whose name can precede a string, with their cast; INTERVAL accepts any value. */
const mysqlTypes: Readonly<Record<string, string>> = { DATE: 'DATE', TIME: 'TIME', TIMESTAMP: 'DATETIME' };

/** PostgreSQL types that are keywords; any other name before a string is also a type. */
const postgresqlTypes = wordSet(`
  BIGINT BIT BOOLEAN BOOL CHAR DATE DEC DECIMAL DOUBLE FLOAT INT INTEGER INTERVAL JSON JSONB NAME NATIONAL NCHAR NUMERIC REAL
  SMALLINT TEXT TIME TIMESTAMP TIMESTAMPTZ TIMETZ UUID VARCHAR XML POINT POLYGON GEOMETRY BYTEA INET CIDR OID INT2 INT4 INT8 FLOAT4
  FLOAT8 BPCHAR CITEXT HSTORE MONEY DATETIME DATERANGE TSRANGE TSTZRANGE INT4RANGE INT8RANGE NUMRANGE TSVECTOR TSQUERY
`);

/** Types of several words, such as `timestamp (3) with time zone`, with their names in casts. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/^TIMESTAMP WITH TIME ZONE$/, 'timestamptz'],
  [/^TIME WITH TIME ZONE$/, 'timetz'],
  [/^(TIMESTAMP|TIME) WITHOUT TIME ZONE$/, '$1'],
  [/^DOUBLE PRECISION$/, 'double precision'],
  [/^(?:CHARACTER|CHAR) VARYING$/, 'varchar'],
];

/** The type named by the words before a string or placeholder, and the number of these words; undefined if there is no type. */
export function typeNamed(
  words: readonly string[],
  dialect: Dialect,
): { readonly type: string; readonly count: number } | undefined {
  const last = words.at(-1) ?? '';
  if (dialect === 'mysql') {
    const type = Object.hasOwn(mysqlTypes, last) ? mysqlTypes[last] : undefined;
    return type === undefined ? undefined : { type, count: 1 };
  }
  for (const count of [4, 2]) {
    const phrase = words.slice(-count).join(' ');
    for (const [pattern, type] of phrases)
      if (pattern.test(phrase)) return { type: phrase.replace(pattern, type).toLowerCase(), count };
  }
  // After a dot, the name is a column, or a type in a schema with possibly several qualifiers.
  if (words.at(-2) === '.' || !/^\w+$/.test(last)) return undefined;
  const isType = postgresqlTypes.has(last) || !keywords.has(last);
  return isType ? { type: last.toLowerCase(), count: 1 } : undefined;
}

/** Whether the type is known by name. */
export function isKnownType(type: string): boolean {
  return (
    type.includes(' ') ||
    type === 'timestamptz' ||
    type === 'timetz' ||
    postgresqlTypes.has(type.toUpperCase())
  );
}

export function castTo(value: string, type: string, dialect: Dialect): string {
  return dialect === 'postgresql' ? `${value}::${type}` : `CAST(${value} AS ${type})`;
}

/** `tokens[index]` is the string; `marker` replaces its placeholders if they are not in the right notation. */
export function rewriteLiteral(
  tokens: readonly Token[],
  index: number,
  token: EnclosedToken,
  dialect: Dialect,
  marker: string | undefined,
): Rewrite {
  const mark = dialect === 'mysql' ? tokens[index - 1] : undefined;
  if (mark?.kind === 'word' && /^(?:[bnx]|_\w+)$/i.test(mark.text)) {
    const text = joined(token, marker);
    return { written: mark.text + token.text, rewrite: text && markedValue(mark.text, text) };
  }
  const json =
    rewriteJson(token, dialect, marker) ??
    (dialect === 'postgresql' ? rewriteArray(token, marker) : undefined);
  const value = json ?? joined(token, marker);
  const before = wordsBefore(tokens, index);
  const named = typeNamed(
    before.map(({ text }) => text.toUpperCase()),
    dialect,
  );
  const first = before.at(-(named?.count ?? 1));
  const unit = nextOf(tokens, index);
  if (named === undefined || first === undefined) {
    // Concatenation returns a string, and dates cannot be compared with strings.
    const type = dialect === 'postgresql' && unit?.text !== '::' ? dateIn(token) : undefined;
    const isJoined = json === undefined && value !== undefined && type !== undefined;
    return { written: token.text, rewrite: isJoined ? castTo(value, type, dialect) : value };
  }
  const written = tokens
    .slice(tokens.indexOf(first), index + 1)
    .map(({ text }) => text)
    .join('');
  if (named.type === 'interval' && unit !== undefined && intervalUnits.has(unit.text.toUpperCase())) {
    const amount = placeholderIn(token, marker);
    return { written: `${written} ${unit.text}`, rewrite: amount && timesInterval(amount, unit.text) };
  }
  if (json !== undefined && /^jsonb?$/.test(named.type)) return { written, rewrite: json };
  return { written, rewrite: value === undefined ? undefined : castTo(value, named.type, dialect) };
}

/** The value of a MySQL string with a prefix: `b`, `x`, `n` or a character set. */
function markedValue(mark: string, value: string): string {
  switch (mark.toUpperCase()) {
    case 'B':
      return `CAST(CONV(${value}, 2, 10) AS UNSIGNED)`;
    case 'X':
      return `UNHEX(${value})`;
    default:
      return value;
  }
}

function nextOf(tokens: readonly Token[], index: number): Token | undefined {
  for (let at = index + 1; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.kind !== 'space' && token?.kind !== 'comment') return token;
  }
  return undefined;
}

/** The type of `':[y]-01-01'` and `':[d] 12:00:00'`; undefined for other strings, and for a placeholder alone. */
function dateIn({ opener, closer, text, start, embedded }: EnclosedToken): 'date' | 'timestamp' | undefined {
  let shape = '';
  let at = opener.length;
  for (const { start: from, end } of embedded) {
    shape += `${text.slice(at, from - start)}?`;
    at = (end ?? from) - start;
  }
  shape += text.slice(at, text.length - closer.length);
  if (/^(?:\?|\d{4})-(?:\?|\d{1,2})-(?:\?|\d{1,2})$/.test(shape)) return 'date';
  return /^(?:\?|[\d?]+-[\d?]+-[\d?]+)[ T][\d?]{1,2}:[\d?:.]+$/.test(shape) ? 'timestamp' : undefined;
}

/** Units that can follow a PostgreSQL interval. */
export const intervalUnits = wordSet('YEAR MONTH DAY HOUR MINUTE SECOND');

/** `:[n] * interval '1 day'` in place of `interval :[n] day`. */
export function timesInterval(amount: string, unit: string): string {
  return `${amount} * interval '1 ${unit.toLowerCase()}'`;
}

/** Up to four words or dots before a token. */
function wordsBefore(tokens: readonly Token[], index: number): Token[] {
  const found: Token[] = [];
  for (let at = index - 1; at >= 0 && found.length < 4; at -= 1) {
    const token = tokens[at];
    if (token === undefined || token.kind === 'space' || token.kind === 'comment') continue;
    if (token.kind !== 'word' && token.text !== '.') break;
    found.unshift(token);
  }
  return found;
}

/** The placeholder, if it is the whole string. */
function placeholderIn(
  { opener, closer, embedded, ...token }: EnclosedToken,
  marker: string | undefined,
): string | undefined {
  const [only] = embedded;
  const isWhole = only?.start === token.start + opener.length && only.end === token.end - closer.length;
  return isWhole ? (marker ?? token.text.slice(opener.length, -closer.length)) : undefined;
}

/** `ARRAY[:[a], 'b']` for `'{:[a], b}'`; undefined for other strings. */
function rewriteArray(token: EnclosedToken, marker: string | undefined): string | undefined {
  const { opener, closer, text, start, embedded } = token;
  if (opener !== "'" || !token.closed) return undefined;
  let shape = '';
  let at = opener.length;
  for (const { start: from, end } of embedded) {
    if (end === undefined) return undefined;
    shape += `${text.slice(at, from - start)}\0`;
    at = end - start;
  }
  shape += text.slice(at, text.length - closer.length);
  const [, inside] = /^\{([^{}]*)\}$/.exec(shape) ?? [];
  const items = inside?.split(',').map((item) => item.trim());
  if (items === undefined || !items.every((item) => /^(?:\0|"\0"|[\w.-]+)$/.test(item))) return undefined;
  const values = embedded.map((part) => marker ?? text.slice(part.start - start, (part.end ?? 0) - start));
  const written = items.map((item) =>
    item.includes('\0') ? (values.shift() ?? '') : /^-?\d+(?:\.\d+)?$/.test(item) ? item : `'${item}'`,
  );
  return `ARRAY[${written.join(', ')}]`;
}

/** The pieces of a string, concatenated by the server; undefined if it cannot be split. */
function joined(token: EnclosedToken, marker: string | undefined): string | undefined {
  const { opener, closer } = token;
  // Bit strings cannot be concatenated from pieces.
  if (/^[bx]'$/i.test(opener)) {
    const bits = placeholderIn(token, marker);
    if (bits === undefined) return undefined;
    return castTo(/^x/i.test(opener) ? `concat('x', ${bits})` : bits, 'varbit', 'postgresql');
  }
  const pieces: string[] = [];
  const keep = (from: number, to: number): void => {
    if (to > from) pieces.push(opener + token.text.slice(from - token.start, to - token.start) + closer);
  };
  let from = token.start + opener.length;
  for (const { start, end } of token.embedded) {
    if (end === undefined) return undefined;
    keep(from, start);
    pieces.push(marker ?? token.text.slice(start - token.start, end - token.start));
    from = end;
  }
  keep(from, token.end - closer.length);
  const [only] = pieces;
  return pieces.length === 1 ? only : `concat(${pieces.join(', ')})`;
}
