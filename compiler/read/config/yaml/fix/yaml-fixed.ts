/** A source with fixed YAML that maps each character to its position in the file. */
import { withEdits } from '../../../diagnostics/apply-fixes.js';
import type { Edit } from '../../../diagnostics/fix.js';
import type { Span, ScalarText, Source } from '../../../source.js';

/** Parsed text, with a mapping of its positions to the file. */
export interface ReadText {
  /** The fixed text as a source, for code that examines the text. */
  readonly readSource: Source;
  /** Converts a span to the file. */
  span(span: Omit<Span, 'source'>): Span;
  /** The string with spans in the file. */
  scalar(text: ScalarText): ScalarText;
}

export class FixedText implements ReadText {
  /** The text with all fixes applied, as passed to the parser. */
  readonly text: string;
  /** The ends of the edits in the fixed text, and how far later offsets are shifted relative to the file. */
  readonly #ends: number[] = [];
  readonly #shifts: number[] = [];
  /** The start of each edit in the fixed text, and its range in the file. */
  readonly #starts: number[] = [];
  readonly #origins: { readonly start: number; readonly end: number }[] = [];

  /** `base` has the length of the source. Edits do not overlap. */
  constructor(
    private readonly source: Source,
    base: string,
    edits: readonly Edit[],
  ) {
    this.text = withEdits(base, edits);
    let shift = 0;
    for (const { start, end, text } of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
      this.#starts.push(start + shift);
      this.#origins.push({ start, end });
      shift += text.length - (end - start);
      this.#ends.push(end + shift);
      this.#shifts.push(shift);
    }
  }

  /** Converts an offset to the file; inserted text maps to the position of the insertion. */
  offset(fixed: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) < fixed) low = middle + 1;
      else high = middle;
    }
    const at = low - 1;
    const origin = this.#origins[at];
    if (origin === undefined) return fixed;
    if (fixed >= (this.#ends[at] ?? 0)) return fixed - (this.#shifts[at] ?? 0);
    return Math.min(origin.end, origin.start + fixed - (this.#starts[at] ?? 0));
  }

  /** Converts a file offset to an offset in the fixed text. */
  fixedOffset(offset: number): number {
    let low = 0;
    let high = this.#origins.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#origins[middle]?.end ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return offset + (this.#shifts[low - 1] ?? 0);
  }

  get readSource(): Source {
    return this.#starts.length === 0 ? this.source : { ...this.source, text: this.text };
  }

  span({ start, end, scalar }: Omit<Span, 'source'>): Span {
    const span = { source: this.source, start: this.offset(start), end: this.offset(end) };
    if (scalar === undefined) return span;
    const { style } = scalar;
    return {
      ...span,
      scalar: { style, start: this.offset(scalar.start), end: this.offset(scalar.end) },
    };
  }

  scalar(text: ScalarText): ScalarText {
    if (this.#starts.length === 0) return text;
    return {
      value: text.value,
      span: this.span(text.span),
      spanOf: (start, end) => this.span(text.spanOf(start, end)),
    };
  }
}
