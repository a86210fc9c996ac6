/** The tokens of generated code. */
import type { Comment, Spaced } from './code-tree.js';

/** Thrown at code that the generator's own printer does not know; prettier formats it. */
export class UnknownCode extends Error {}

export type TokenKind = 'name' | 'number' | 'text' | 'sign' | 'template' | 'end';

const token =
  /([A-Za-z_$][\w$]*)|(\d[\w.]*)|('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|(=>|\.\.\.|\?\?|\?\.(?!\d)|===|!==|==|!=|<=|>=|&&|\|\||[{}()[\];,:<>=+\-!?.|])|(`)/y;
const space = /\s*/y;
const comment = /\/\/[^\n]*|\/\*[^]*?\*\//y;
/** Signs that a printer adds and leaves out; the tree has the order that they give. */
const layout = new Set(['(', ')', ',', ';', '|']);
const templateText = /(?:[^`\\$]|\\[^]|\$(?!\{))*/y;

export class Scanner {
  kind: TokenKind = 'end';
  /** The token; of a template its first character. */
  text = '';
  start = 0;
  end = 0;
  isOnNewLine = false;
  /** All that was read but spaces and the signs of the layout. */
  readonly read: string[] = [];
  #comments: Comment[] = [];
  #isAfterBlank = false;

  constructor(readonly source: string) {
    this.next();
  }

  next(): void {
    this.#skip();
    token.lastIndex = this.start;
    const match = token.exec(this.source);
    if (match === null) {
      if (this.start < this.source.length) throw new UnknownCode();
      this.kind = 'end';
      this.text = '';
      return;
    }
    this.text = match[0];
    this.end = token.lastIndex;
    this.kind =
      match[1] !== undefined
        ? 'name'
        : match[4] !== undefined
          ? 'sign'
          : match[3] !== undefined
            ? 'text'
            : match[2] !== undefined
              ? 'number'
              : 'template';
    if (this.kind === 'text') this.read.push(unquoted(this.text));
    else if (!layout.has(this.text)) this.read.push(this.text);
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
    this.read.push(text);
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
    let { end } = this;
    let gap = this.#gap(end);
    this.isOnNewLine = gap.includes('\n');
    this.#isAfterBlank = isBlank(gap);
    end += gap.length;
    while (this.source[end] === '/') {
      comment.lastIndex = end;
      const [text] = comment.exec(this.source) ?? [];
      if (text === undefined) break;
      if (this.end > 0 && !this.isOnNewLine) throw new UnknownCode();
      end += text.length;
      gap = this.#gap(end);
      if (!gap.includes('\n')) throw new UnknownCode();
      end += gap.length;
      this.read.push(text.replaceAll(/\s+/g, ' ').trim());
      this.#comments.push({ text, isBeforeBlank: isBlank(gap) });
    }
    this.start = end;
    this.end = end;
  }

  #gap(from: number): string {
    space.lastIndex = from;
    return space.exec(this.source)?.[0] ?? '';
  }
}

/** Without its quotes, and without the escapes of quotes inside. */
function unquoted(literal: string): string {
  const inside = literal.slice(1, -1);
  if (!inside.includes('\\')) return inside;
  return inside.replaceAll(/\\([^])/g, (written, escaped: string) =>
    /['"]/.test(escaped) ? escaped : written,
  );
}

function isBlank(gap: string): boolean {
  return gap.indexOf('\n') !== gap.lastIndexOf('\n');
}
