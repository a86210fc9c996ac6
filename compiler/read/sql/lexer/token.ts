/** The tokens of a SQL string: joined, they are the SQL. Offsets refer to that string. */
import type { Expression } from '../../expression/ast.js';

interface Stretch {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface PlainToken extends Stretch {
  /** `question` is `?` or the pair `??`; `positional` is PostgreSQL's `$1`; `operator` is punctuation too. */
  readonly kind: 'space' | 'word' | 'number' | 'operator' | 'question' | 'positional';
}

/** A placeholder inside a literal, a quoted name or a comment, where a parameter is not possible. */
export interface Embedded {
  readonly start: number;
  /** The index after its `]`; undefined when it cannot be read. */
  readonly end: number | undefined;
}

/** A string, a quoted name or a comment. */
export interface EnclosedToken extends Stretch {
  readonly kind: 'literal' | 'quoted-name' | 'comment';
  /** As it is written: `'`, `E'`, `$tag$`, a backtick, `--`, … */
  readonly opener: string;
  /** Empty for a comment that ends at the end of its line (`-- …`). */
  readonly closer: string;
  /** False when the text ends before it does. */
  readonly closed: boolean;
  readonly embedded: readonly Embedded[];
}

export interface PlaceholderToken extends Stretch {
  readonly kind: 'placeholder';
  /** Undefined after an error in it, which has been reported. */
  readonly expression: Expression | undefined;
}

export type Token = PlainToken | EnclosedToken | PlaceholderToken;

/** True for a comment that reaches to the end of its line. */
export function isLineComment(token: Token | undefined): boolean {
  return token?.kind === 'comment' && token.closer === '';
}

/** MySQL and MariaDB execute the content of `/*! … *\/` and `/*M! … *\/`, depending on the server's version. */
export function isExecutableComment(token: Token): token is EnclosedToken & { readonly kind: 'comment' } {
  return token.kind === 'comment' && token.opener.endsWith('!');
}
