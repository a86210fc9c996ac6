/** A source that consists of parts of a file. Its spans refer to the file and move with the parts. */
import { MovingSpan, type Anchor, type Span, type ScalarText, type Source } from '../../source.js';
import type { ReadText } from './fix/yaml-fixed.js';

/** A part of a file. */
export interface Part {
  readonly text: string;
  readonly anchor: Anchor;
}

export class PartedText implements ReadText {
  readonly readSource: Source;
  /** The start of each part in the text. */
  readonly #starts: number[] = [];
  readonly #anchors: Anchor[] = [];

  constructor(source: Source, parts: readonly Part[]) {
    let length = 0;
    for (const { text, anchor } of parts) {
      this.#starts.push(length);
      this.#anchors.push(anchor);
      length += text.length;
    }
    this.readSource = { ...source, text: parts.map(({ text }) => text).join('') };
  }

  /** The text of a part. */
  partText(index: number): string {
    return this.readSource.text.slice(this.#starts[index], this.#starts[index + 1]);
  }

  span({ start, end, scalar }: Omit<Span, 'source'>): Span {
    const index = this.#indexAt(start);
    const [anchor] = this.#anchors.slice(index, index + 1);
    if (anchor === undefined) throw new Error('The text has no parts.');
    const from = this.#starts[index] ?? 0;
    const own = scalar && { ...scalar, start: scalar.start - from, end: scalar.end - from };
    return new MovingSpan(anchor, start - from, end - from, own);
  }

  scalar(text: ScalarText): ScalarText {
    return {
      value: text.value,
      span: this.span(text.span),
      spanOf: (start, end) => this.span(text.spanOf(start, end)),
    };
  }

  /** The index of the part that contains the offset. */
  #indexAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low;
  }
}
