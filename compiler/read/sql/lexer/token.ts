/** The tokens of a SQL string: concatenated, they are the SQL. Offsets are relative to that string. */
import type { Expression } from '../../expression/ast.js';

interface Stretch {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface PlainToken extends Stretch {
  /** `question` is `?` or the pair `??`; `positional` is PostgreSQL's `$1`; `operator` includes punctuation. */
  readonly kind: 'space' | 'word' | 'number' | 'operator' | 'question' | 'positional';
}

/** A placeholder inside a literal, quoted name or comment, where parameters are not possible. */
export interface Embedded {
  readonly start: number;
  /** The index after the closing `]`; undefined if the placeholder is unreadable. */
  readonly end: number | undefined;
}

/** A string, a quoted name or a comment. */
export interface EnclosedToken extends Stretch {
  readonly kind: 'literal' | 'quoted-name' | 'comment';
  /** The opening delimiter as written: `'`, `E'`, `$tag$`, a backtick, `--`, … */
  readonly opener: string;
  /** The closing delimiter; empty for comments that end with the line (`-- …`). */
  readonly closer: string;
  /** False if the closing delimiter is missing. */
  readonly closed: boolean;
  readonly embedded: readonly Embedded[];
}

export interface PlaceholderToken extends Stretch {
  readonly kind: 'placeholder';
  /** The expression in the placeholder; undefined after an error in it, which has been reported. */
  readonly expression: Expression | undefined;
}

export type Token = PlainToken | EnclosedToken | PlaceholderToken;

/** True for a comment that extends to the end of the line. */
export function isLineComment(token: Token | undefined): boolean {
  return token?.kind === 'comment' && token.closer === '';
}

/** MySQL and MariaDB execute the content of `/*! … *\/` and `/*M! … *\/`, depending on the server's version. */
export function isExecutableComment(token: Token): token is EnclosedToken & { readonly kind: 'comment' } {
  return token.kind === 'comment' && token.opener.endsWith('!');
}
