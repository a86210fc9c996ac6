/** Finds the position of a syntax error in JSON, so that a message can name it without repeating the content. */

/** The position of the first invalid character. Lines and columns count from 1. */
export interface JsonSyntaxError {
  readonly line: number;
  readonly column: number;
  /** Whether the only error is that the input ends too early. */
  readonly atEnd: boolean;
}

/** Undefined for valid JSON. */
export function jsonError(text: string): JsonSyntaxError | undefined {
  const scanner = new Scanner(text);
  if (scanner.document()) return undefined;
  const lines = text.slice(0, scanner.index).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1, atEnd: scanner.index >= text.length };
}

/** Characters by their code: regular expressions are several times slower for bodies of a million characters. */
const code = {
  tab: 9,
  newline: 10,
  return: 13,
  space: 32,
  quote: 34,
  zero: 48,
  nine: 57,
  backslash: 92,
} as const;

/** False for NaN, after the end of the input; also the next function. */
function isDigit(character: number): boolean {
  return character >= code.zero && character <= code.nine;
}

function isBlank(character: number): boolean {
  return (
    character === code.space ||
    character === code.newline ||
    character === code.return ||
    character === code.tab
  );
}

/** Each method moves `index` past the part that it is named after. If that part is missing, it returns false, with `index` at the error. */
class Scanner {
  index = 0;

  constructor(private readonly text: string) {}

  /** Without recursion, so that any depth is accepted. */
  document(): boolean {
    const closings: ('}' | ']')[] = [];
    for (;;) {
      this.blanks();
      const opened = this.opening();
      if (opened !== undefined) {
        closings.push(opened);
        this.blanks();
        // An empty array or object is a finished value; else its first element or key follows.
        if (!this.take(opened)) {
          if (opened === '}' && !this.key()) return false;
          continue;
        }
        closings.pop();
      } else if (!this.scalar()) {
        return false;
      }

      for (let closing = closings.at(-1); ; closing = closings.at(-1)) {
        this.blanks();
        if (closing === undefined) return this.index === this.text.length;
        if (this.take(closing)) {
          closings.pop();
        } else if (this.take(',')) {
          this.blanks();
          if (closing === '}' && !this.key()) return false;
          break;
        } else {
          return false;
        }
      }
    }
  }

  private opening(): '}' | ']' | undefined {
    if (this.take('{')) return '}';
    return this.take('[') ? ']' : undefined;
  }

  private key(): boolean {
    if (!this.string()) return false;
    this.blanks();
    return this.take(':');
  }

  private scalar(): boolean {
    const first = this.text[this.index] ?? '';
    if (first === '"') return this.string();
    if (first === 't') return this.word('true');
    if (first === 'f') return this.word('false');
    return first === 'n' ? this.word('null') : this.number();
  }

  private string(): boolean {
    if (!this.take('"')) return false;
    for (; this.index < this.text.length; this.index += 1) {
      const character = this.text.charCodeAt(this.index);
      if (character === code.quote) {
        this.index += 1;
        return true;
      }
      if (character < code.space) return false;
      if (character === code.backslash && !this.escape()) return false;
    }
    return false;
  }

  /** Ends on the last character of the escape, as the loop over the string expects. */
  private escape(): boolean {
    this.index += 1;
    if (this.text[this.index] !== 'u') return /["\\/bfnrt]/.test(this.text[this.index] ?? '');
    for (let digits = 0; digits < 4; digits += 1) {
      this.index += 1;
      if (!/[0-9a-fA-F]/.test(this.text[this.index] ?? '')) return false;
    }
    return true;
  }

  private number(): boolean {
    this.take('-');
    if (!this.take('0') && !this.digits()) return false;
    if (this.take('.') && !this.digits()) return false;
    if (!this.take('e') && !this.take('E')) return true;
    if (!this.take('+')) this.take('-');
    return this.digits();
  }

  private digits(): boolean {
    const start = this.index;
    while (isDigit(this.text.charCodeAt(this.index))) this.index += 1;
    return this.index > start;
  }

  private word(word: string): boolean {
    for (const character of word) if (!this.take(character)) return false;
    return true;
  }

  private blanks(): void {
    while (isBlank(this.text.charCodeAt(this.index))) this.index += 1;
  }

  private take(character: string): boolean {
    if (this.text[this.index] !== character) return false;
    this.index += 1;
    return true;
  }
}
