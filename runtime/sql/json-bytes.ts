/** Converts JSON in any notation to the bytes of `JSON.stringify`, without parsing it. */
import { isUtf8 } from 'node:buffer';
import { code, copyShort, isDigit, literal, notWritten, writeDigits, type Write } from './row-format.js';

/**
 * Copies values that `JSON.stringify` would write in the same way. Returns `notWritten` for objects with repeated keys or keys that
 * look like list indexes (which would be moved to the front), numbers in a notation other than JavaScript's, unnecessary escapes,
 * invalid JSON, objects with very many keys, and very deep nesting.
 */
export const writeJson: Write = (bytes, start, end, out, at) => {
  const copy = new JsonCopy(bytes, start, end, out, at);
  return copy.document() && (copy.isAscii || isUtf8(bytes.subarray(start, end))) ? copy.next : notWritten;
};

const maxDepth = 64;

/** Maximum keys of an object, because each key is compared with all keys before it. */
const maxKeys = 64;

/** Copies a value. Methods return false if it cannot be copied. */
class JsonCopy {
  isAscii = true;

  /** `index` is the next position to read, `next` the next position to write. */
  constructor(
    private readonly bytes: Buffer,
    private index: number,
    private readonly end: number,
    private readonly out: Buffer,
    public next: number,
  ) {}

  document(): boolean {
    if (!this.value(0)) return false;
    this.skipBlanks();
    return this.index === this.end;
  }

  private value(depth: number): boolean {
    switch (this.peek()) {
      case code.quote:
        return this.string();
      case code.openList:
        return depth < maxDepth && this.list(depth + 1);
      case brace.open:
        return depth < maxDepth && this.object(depth + 1);
      case code.true:
        return this.word(literal.true);
      case code.false:
        return this.word(literal.false);
      case n:
        return this.word(literal.null);
      default:
        return this.number();
    }
  }

  private list(depth: number): boolean {
    this.write(code.openList);
    if (this.takes(code.closeList)) return true;
    do if (!this.value(depth)) return false;
    while (this.takes(code.comma));
    return this.takes(code.closeList);
  }

  private object(depth: number): boolean {
    this.write(brace.open);
    if (this.takes(brace.close)) return true;
    /** The start and end positions of the keys so far. */
    const keys: number[] = [];
    do if (!this.key(keys) || !this.takes(code.colon) || !this.value(depth)) return false;
    while (this.takes(code.comma));
    return this.takes(brace.close);
  }

  private key(keys: number[]): boolean {
    if (this.peek() !== code.quote) return false;
    const start = this.index + 1;
    if (!this.string()) return false;
    const end = this.index - 1;
    if (isIndex(this.bytes, start, end) || keys.length >= 2 * maxKeys) return false;
    for (let place = 0; place < keys.length; place += 2) {
      const [first = 0, last = 0] = [keys[place], keys[place + 1]];
      if (last - first === end - start && areSame(this.bytes, first, start, end - start)) return false;
    }
    keys.push(start, end);
    return true;
  }

  private string(): boolean {
    const { bytes, out, end } = this;
    let { index, next } = this;
    out[next] = code.quote;
    next += 1;
    for (index += 1; index < end; index += 1) {
      const character = bytes[index] ?? 0;
      out[next] = character;
      next += 1;
      if (character === code.quote) {
        this.index = index + 1;
        this.next = next;
        return true;
      }
      if (character < code.blank) return false;
      if (character >= 0x80) this.isAscii = false;
      else if (character === code.backslash) {
        index += 1;
        const escaped = bytes[index] ?? 0;
        if (!escapes.has(escaped)) return false;
        out[next] = escaped;
        next += 1;
      }
    }
    return false;
  }

  private number(): boolean {
    const start = this.index;
    while (this.index < this.end && isPartOfNumber(this.bytes[this.index])) this.index += 1;
    const next = writeDigits(this.bytes, start, this.index, this.out, this.next);
    if (next === notWritten) return false;
    this.next = next;
    return true;
  }

  private word(word: Buffer): boolean {
    if (this.end - this.index < word.length) return false;
    for (let place = 0; place < word.length; place += 1)
      if (this.bytes[this.index + place] !== word[place]) return false;
    this.index += word.length;
    this.next = copyShort(word, 0, word.length, this.out, this.next);
    return true;
  }

  /** Copies the byte if it is the next one after white space. */
  private takes(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.write(byte);
    return true;
  }

  private write(byte: number): void {
    this.out[this.next] = byte;
    this.next += 1;
    this.index += 1;
  }

  /** The next byte after white space; undefined at the end. */
  private peek(): number | undefined {
    this.skipBlanks();
    return this.index < this.end ? this.bytes[this.index] : undefined;
  }

  private skipBlanks(): void {
    while (this.index < this.end && isBlank(this.bytes[this.index])) this.index += 1;
  }
}

const brace = { open: 0x7b, close: 0x7d } as const;
const n = 0x6e;

/** Characters that `JSON.stringify` writes after a backslash. */
const escapes: ReadonlySet<number> = new Set(Buffer.from('"\\bfnrt'));

function isBlank(byte: number | undefined): boolean {
  return byte === code.blank || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isIndex(bytes: Buffer, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) if (!isDigit(bytes[index])) return false;
  return start < end;
}

function areSame(bytes: Buffer, one: number, other: number, length: number): boolean {
  for (let index = 0; index < length; index += 1)
    if (bytes[one + index] !== bytes[other + index]) return false;
  return true;
}

/** Whether the byte is a digit, a sign, a point or the letter of an exponent. */
export function isPartOfNumber(byte: number | undefined): boolean {
  return (
    isDigit(byte) ||
    byte === code.point ||
    byte === code.minus ||
    byte === code.plus ||
    byte === 0x65 ||
    byte === 0x45
  );
}
