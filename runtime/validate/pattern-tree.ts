/** Parses the structure of a pattern that is valid in JavaScript. Single characters are matched by JavaScript. */

export type PatternTree =
  /** A character, as a JavaScript expression that matches it. */
  | { readonly kind: 'character'; readonly source: string }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternTree[] }
  | { readonly kind: 'choice'; readonly parts: readonly PatternTree[] }
  | { readonly kind: 'repeat'; readonly part: PatternTree; readonly min: number; readonly max: number }
  | { readonly kind: 'position'; readonly at: 'start' | 'end' | 'boundary' | 'inside' }
  | {
      readonly kind: 'look';
      readonly ahead: boolean;
      readonly negative: boolean;
      readonly part: PatternTree;
    };

/** The pattern contains a construct that cannot be matched in linear time, such as a back reference. */
export class UnsupportedPattern extends Error {
  override readonly name = 'UnsupportedPattern';
}

/** Parses a pattern; `isUnicode` is the flag `u`. Throws an UnsupportedPattern. */
export function parsePattern(pattern: string, isUnicode: boolean): PatternTree {
  return new PatternParser(pattern, isUnicode).choice();
}

/** Sticky expressions for the tokens of a pattern. */
const groupStart = /\((?:\?(?:(:)|(<?)([=!])|<[^>]*>))?/y;
const quantifier = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;
const classText = /\[(?:\\[^]|[^\]\\])*\]/y;
const pair = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/y;
const escape = /\\(?:u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[^])/y;
const reference = /\\(?:[1-9]|k)/y;

class PatternParser {
  private index = 0;

  constructor(
    private readonly text: string,
    private readonly isUnicode: boolean,
  ) {}

  choice(): PatternTree {
    const parts = [this.sequence()];
    while (this.text[this.index] === '|') {
      this.index += 1;
      parts.push(this.sequence());
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'choice', parts };
  }

  private sequence(): PatternTree {
    const parts: PatternTree[] = [];
    while (this.index < this.text.length && this.text[this.index] !== '|' && this.text[this.index] !== ')')
      parts.push(this.repeated());
    return { kind: 'sequence', parts };
  }

  private repeated(): PatternTree {
    const part = this.single();
    const found = this.take(quantifier);
    if (found === undefined) return part;
    const [, sign, min = '', comma, max = ''] = found;
    if (sign !== undefined)
      return { kind: 'repeat', part, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
    return {
      kind: 'repeat',
      part,
      min: Number(min),
      max: comma === undefined ? Number(min) : max === '' ? Infinity : Number(max),
    };
  }

  private single(): PatternTree {
    const group = this.take(groupStart);
    if (group !== undefined) return this.group(group);
    const first = this.text[this.index];
    if (first === '^' || first === '$') {
      this.index += 1;
      return { kind: 'position', at: first === '^' ? 'start' : 'end' };
    }
    if (first === '\\') return this.escaped();
    const source = this.take(classText)?.[0];
    if (source !== undefined) return { kind: 'character', source };
    const codePoint = this.text.codePointAt(this.index) ?? 0;
    const character = this.isUnicode ? String.fromCodePoint(codePoint) : (first ?? '');
    this.index += character.length;
    if (character === '.') return { kind: 'character', source: '.' };
    return { kind: 'character', source: character.replace(/[\^$\\.*+?()[\]{}|/]/, '\\$&') };
  }

  private group([, , behind, sign]: RegExpExecArray): PatternTree {
    const part = this.choice();
    this.index += 1;
    if (sign === undefined) return part;
    return { kind: 'look', ahead: behind === '', negative: sign === '!', part };
  }

  private escaped(): PatternTree {
    if (this.take(reference) !== undefined) throw new UnsupportedPattern('it has a back reference');
    const source = (this.isUnicode ? this.take(pair) : undefined)?.[0] ?? this.take(escape)?.[0] ?? '\\\\';
    if (source === '\\b') return { kind: 'position', at: 'boundary' };
    if (source === '\\B') return { kind: 'position', at: 'inside' };
    return { kind: 'character', source };
  }

  private take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.index;
    const found = expression.exec(this.text);
    if (found === null) return undefined;
    this.index = expression.lastIndex;
    return found;
  }
}
