/** Splits SQL into tokens. Reports errors only inside placeholders, and never drops characters. */
import type { Dialect } from '../dialect.js';
import { enclosureAt, readEnclosed } from './enclosure.js';
import type { Placeholders } from './placeholders.js';
import type { PlainToken, Token } from './token.js';

type Pattern = readonly [kind: PlainToken['kind'], pattern: RegExp];

const space: Pattern = ['space', /[ \t\n\r\f\v]+/y];
const number: Record<Dialect, Pattern> = {
  /** `0x1F`, `0o17`, `0b101` and `1_000` (since PostgreSQL 16). */
  postgresql: [
    'number',
    /0(?:[xX](?:_?[\dA-Fa-f])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)(?![\w$\u0080-\uffff])|\.?\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?(?:[eE][+-]?\d+(?:_\d+)*)?/y,
  ],
  /** `0x1F` and `0b101`, with a lower-case prefix; names can begin with digits. */
  mysql: ['number', /0(?:x[\dA-Fa-f]+|b[01]+)(?![\w$\u0080-\uffff])|\.?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?/y],
};
const question: Pattern = ['question', /\?\??/y];
/** The multi-character operators that influence later tokens. Other operators are split into single characters. */
const operator: Pattern = ['operator', /::|:=|[^]/y];

const patterns: Record<Dialect, readonly Pattern[]> = {
  postgresql: [
    space,
    ['word', /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y],
    number.postgresql,
    question,
    ['positional', /\$\d+/y],
    operator,
  ],
  mysql: [space, ['word', /[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*/y], number.mysql, question, operator],
};

/** The tokens of a SQL string in order. Runs in linear time. */
export function lexSql(text: string, dialect: Dialect, placeholders: Placeholders): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const token = readToken(text, at, dialect, placeholders);
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

function readToken(text: string, at: number, dialect: Dialect, placeholders: Placeholders): Token {
  const enclosure = enclosureAt(text, at, dialect);
  if (enclosure !== undefined) return readEnclosed(text, at, enclosure, placeholders);
  if (text.startsWith(':[', at)) {
    const found = placeholders.read(at + 2);
    if (found !== undefined) {
      const { expression, end } = found;
      return { kind: 'placeholder', expression, text: text.slice(at, end), start: at, end };
    }
  }
  // `a[1::[PARAM(n)]]`: the colon of a slice, followed by a placeholder.
  if (text.startsWith('::[', at)) return { kind: 'operator', text: ':', start: at, end: at + 1 };
  return readPlain(text, at, dialect);
}

function readPlain(text: string, at: number, dialect: Dialect): PlainToken {
  for (const [kind, pattern] of patterns[dialect]) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return { kind, text: found, start: at, end: at + found.length };
  }
  throw new Error(`no token at ${at}`);
}
