/** Scans a text from left to right and collects its errors. */
import type { Sink } from '../../diagnostics/finding.js';
import { Trial } from '../../diagnostics/trial.js';
import type { Span, ScalarText } from '../../source.js';
import type { Expression } from '../ast.js';
import type { BareWord } from '../notation.js';

/** A production of the grammar; undefined after an error that ends parsing. */
export type Production = (scanner: Scanner) => Expression | undefined;

/** Maximum nesting of parentheses, functions and `!`. */
const maximumDepth = 64;

/** Maximum number of operators per expression: a chain of operators is a deep tree. */
const maximumOperators = 1000;

export class Scanner {
  /** The index of the next character. */
  index: number;
  /** True after an unclosed parenthesis or quote. */
  unclosed = false;
  #depth = 0;
  #operators = 0;

  /** Whether the expression ends at a `]`. Other text may follow, such as `AND` in SQL. */
  readonly inPlaceholder: boolean;
  /** Parses an operand of the other syntax, to recognize text that is valid there. */
  readonly other: Production | undefined;
  /** Words of Syntax B that are names of fulfillments in this operation. */
  readonly names: ReadonlySet<string> | undefined;
  readonly bareWord: BareWord | undefined;

  /** @param errors Receives the errors: the user's report, or a separate one for an attempt. */
  constructor(
    readonly text: ScalarText,
    readonly errors: Sink,
    options: {
      start?: number;
      inPlaceholder?: boolean;
      other?: Production;
      names?: ReadonlySet<string> | undefined;
      bareWord?: BareWord | undefined;
    } = {},
  ) {
    this.index = options.start ?? 0;
    this.inPlaceholder = options.inPlaceholder ?? false;
    this.other = options.other;
    this.names = options.names;
    this.bareWord = options.bareWord;
  }

  /** Whether the scanner is outside of all parentheses and functions. */
  get outermost(): boolean {
    return this.#depth === 0;
  }

  /** A scanner for the same text from `start` on, whose errors are not reported automatically. */
  attempt(start: number): Scanner {
    const { inPlaceholder, names } = this;
    return new Scanner(this.text, new Trial(), { start, inPlaceholder, names });
  }

  /** Whether an error was found. Only meaningful for an attempt with its own report. */
  get failed(): boolean {
    return this.errors.hasErrors;
  }

  /** The next character; empty at the end of the text. */
  get next(): string {
    return this.text.value[this.index] ?? '';
  }

  get atEnd(): boolean {
    return this.index >= this.text.value.length;
  }

  startsWith(characters: string): boolean {
    return this.text.value.startsWith(characters, this.index);
  }

  /** Skips these characters if they are next. */
  take(characters: string): boolean {
    const found = this.startsWith(characters);
    if (found) this.index += characters.length;
    return found;
  }

  /** The match of a sticky pattern at the current index, without moving; undefined if there is no match. */
  peek(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.index;
    return pattern.exec(this.text.value)?.[0];
  }

  /** The match of a sticky pattern at the current index, moving to its end; undefined if there is no match. */
  match(pattern: RegExp): string | undefined {
    const found = this.peek(pattern);
    this.index += found?.length ?? 0;
    return found;
  }

  skipSpace(): void {
    this.match(/\s*/y);
  }

  /** The characters from `start` to `end` (exclusive; default: the current position). */
  slice(start: number, end = this.index): string {
    return this.text.value.slice(start, end);
  }

  /** The file span of the characters from `start` to `end` (exclusive; default: the current index). */
  span(start: number, end = this.index): Span {
    return this.text.spanOf(start, end);
  }

  /**
   * The span of a function call from its name (before the `(` at `open`) to its `)`, which is the next or the preceding character.
   * Undefined if there is no name.
   */
  callAround(open: number): Span | undefined {
    const name = /(?<!\w)[A-Za-z_]\w*\s*$/.exec(this.slice(Math.max(0, open - 40), open));
    if (name === null) return undefined;
    let end = this.index;
    while (/\s/.test(this.text.value[end] ?? '')) end += 1;
    if (this.text.value[end] !== ')') end = this.text.value[this.index - 1] === ')' ? this.index - 1 : -1;
    return end === -1 ? undefined : this.span(open - name[0].length, end + 1);
  }

  /** An error node with a known end, so that parsing can continue. */
  errorNode(start: number): Expression {
    return { kind: 'null', span: this.span(start) };
  }

  /** Runs a production one level deeper, unless the nesting limit is reached. */
  nested(production: () => Expression | undefined): Expression | undefined {
    if (this.#depth >= maximumDepth) {
      this.errors.add('expression-too-deep', this.span(this.index, this.index + 1), {
        maximum: maximumDepth,
      });
      return undefined;
    }
    this.#depth += 1;
    const expression = production();
    this.#depth -= 1;
    return expression;
  }

  /** Counts an operator; false if there are too many. */
  countOperator(start: number): boolean {
    this.#operators += 1;
    if (this.#operators <= maximumOperators) return true;
    this.errors.add('expression-too-long', this.span(start), { maximum: maximumOperators });
    return false;
  }
}
