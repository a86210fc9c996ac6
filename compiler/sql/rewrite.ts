/** What to write instead of a string that has placeholders in it, built from the author's own text. */
import type { Dialect } from './dialect.js';
import type { EnclosedToken, Token } from './token.js';

export interface Rewrite {
  /** The stretch of the author's text that is to be replaced. */
  readonly written: string;
  readonly rewrite: string | undefined;
}

/** Types whose name can stand before a string, and what a value is cast to for it. */
const types: Record<Dialect, Readonly<Record<string, string>>> = {
  postgresql: {
    DATE: 'date',
    TIME: 'time',
    TIMESTAMP: 'timestamp',
    TIMESTAMPTZ: 'timestamptz',
    INTERVAL: 'interval',
  },
  // MySQL's INTERVAL takes any value, and TIMESTAMP '…' is a DATETIME.
  mysql: { DATE: 'DATE', TIME: 'TIME', TIMESTAMP: 'DATETIME' },
};

/** The type that a word before a string or placeholder names; undefined when it is none. */
export function typeNamed(word: string, dialect: Dialect): string | undefined {
  const known = types[dialect];
  return Object.hasOwn(known, word) ? known[word] : undefined;
}

export function castTo(value: string, type: string, dialect: Dialect): string {
  return dialect === 'postgresql' ? `${value}::${type}` : `CAST(${value} AS ${type})`;
}

/** `tokens[index]` is the string; `marker` takes the place of its placeholders where they are not written as such. */
export function rewriteLiteral(
  tokens: readonly Token[],
  index: number,
  token: EnclosedToken,
  dialect: Dialect,
  marker: string | undefined,
): Rewrite {
  const value = joined(token, marker);
  const before = tokens[index - 1]?.kind === 'space' ? tokens[index - 2] : tokens[index - 1];
  const type = before?.kind === 'word' ? typeNamed(before.text.toUpperCase(), dialect) : undefined;
  if (type === undefined || before === undefined) return { written: token.text, rewrite: value };
  return {
    written: `${before.text} ${token.text}`,
    rewrite: value === undefined ? undefined : castTo(value, type, dialect),
  };
}

/** The pieces of a string, joined by the server; undefined where it cannot be cut. */
function joined(token: EnclosedToken, marker: string | undefined): string | undefined {
  const { opener, closer } = token;
  // Bit strings have no pieces that could be joined.
  if (!token.closed || /^[bx]'$/i.test(opener)) return undefined;
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
