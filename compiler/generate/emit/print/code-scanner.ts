/** The tokens of generated code. */
import type { Comment, Spaced } from './code-tree.js';

/** Thrown at code that the generator's own printer does not know; prettier formats it. */
export class UnknownCode extends Error {}

export type TokenKind = 'name' | 'number' | 'text' | 'sign' | 'template' | 'end';

const patterns: Readonly<Record<Exclude<TokenKind, 'end'>, RegExp>> = {
  name: /[\w$]+/y,
  number: /[\w.]+/y,
  text: /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/y,
  sign: /=>|\.\.\.|\?\?|\?\.(?!\d)|[=!]==?|[<>]=|&&|\|\||[{}()[\];,:<>=+\-!?.|]/y,
  template: /`/y,
};
const comment = /\/\/[^\n]*|\/\*[^]*?\*\//y;
const templateText = /(?:[^`\\$]|\\[^]|\$(?!\{))*/y;

/** The kind of a token by the code of its first character. */
const kinds = Array.from({ length: 128 }, (_, code): keyof typeof patterns => {
  const first = String.fromCharCode(code);
  if (/[A-Za-z_$]/.test(first)) return 'name';
  if (/\d/.test(first)) return 'number';
  return first === "'" || first === '"' ? 'text' : first === '`' ? 'template' : 'sign';
});

export class Scanner {
  kind: TokenKind = 'end';
  /** The token; of a template its first character. */
  text = '';
  start = 0;
  end = 0;
  isOnNewLine = false;
  #comments: Comment[] = [];
  #isAfterBlank = false;

  constructor(readonly source: string) {
    this.next();
  }

  next(): void {
    this.#skip();
    const { source, start } = this;
    const kind = start === source.length ? 'end' : (kinds[source.charCodeAt(start)] ?? 'sign');
    this.kind = kind;
    if (kind === 'end') {
      this.text = '';
      return;
    }
    const pattern = patterns[kind];
    pattern.lastIndex = start;
    if (!pattern.test(source)) throw new UnknownCode();
    this.end = pattern.lastIndex;
    this.text = source.slice(start, this.end);
  }

  /** The comments and the blank line before the token: a statement or a field begins there. */
  spaced(): Spaced {
    const found = { comments: this.#comments, isAfterBlank: this.#isAfterBlank };
    this.#comments = [];
    return found;
  }

  is(text: string): boolean {
    return this.text === text && this.kind !== 'text';
  }

  take(text: string): boolean {
    if (!this.is(text)) return false;
    this.next();
    return true;
  }

  expect(text: string): void {
    if (!this.take(text)) throw new UnknownCode();
  }

  name(): string {
    const { text } = this;
    if (this.kind !== 'name') throw new UnknownCode();
    this.next();
    return text;
  }

  string(): string {
    const { text } = this;
    if (this.kind !== 'text') throw new UnknownCode();
    this.next();
    return text;
  }

  looksLike(pattern: RegExp): boolean {
    pattern.lastIndex = this.start;
    return pattern.test(this.source);
  }

  /** The text of a template up to the next value or its end, behind the token. */
  templateText(): string {
    templateText.lastIndex = this.end;
    const text = templateText.exec(this.source)?.[0] ?? '';
    this.end += text.length;
    return text;
  }

  /** True at the end of a template, false where a value begins; the next token is then read. */
  endsTemplate(): boolean {
    const isEnd = this.source[this.end] === '`';
    this.end += isEnd ? 1 : 2;
    this.next();
    return isEnd;
  }

  #skip(): void {
    // A comment belongs to a statement or a field; where nobody has asked for it, it stands elsewhere.
    if (this.#comments.length > 0) throw new UnknownCode();
    const isFirst = this.end === 0;
    this.start = this.end;
    let breaks = this.#passSpace();
    this.isOnNewLine = breaks > 0;
    this.#isAfterBlank = breaks > 1;
    while (this.source[this.start] === '/') {
      comment.lastIndex = this.start;
      if (!comment.test(this.source) || !(isFirst || this.isOnNewLine)) throw new UnknownCode();
      const text = this.source.slice(this.start, comment.lastIndex);
      this.start = comment.lastIndex;
      breaks = this.#passSpace();
      if (breaks === 0) throw new UnknownCode();
      this.#comments.push({ text, isBeforeBlank: breaks > 1 });
    }
    this.end = this.start;
  }

  /** Moves the start past spaces; returns how many line breaks are among them. */
  #passSpace(): number {
    let breaks = 0;
    for (; ; this.start++) {
      const code = this.source.charCodeAt(this.start);
      if (code === 10) breaks++;
      else if (code !== 32 && code !== 9 && code !== 13) return breaks;
    }
  }
}
