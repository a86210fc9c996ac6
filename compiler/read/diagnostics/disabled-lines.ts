/** Lines of a file in which a comment above disables diagnostics of certain codes. */
import { lineOfScalar } from './yaml-line.js';
import type { WithSpan, Span, Source } from '../source.js';

interface Disabled {
  readonly code: string;
  /** The code in the comment. */
  readonly span: Span;
  isNeeded: boolean;
}

export class DisabledLines {
  readonly #byLine = new Map<number, Disabled[]>();

  constructor(private readonly source: Source) {}

  /** Nothing of the code is reported in the line (from 1); `span` is the code in the comment. */
  add(line: number, code: string, span: Span): void {
    const others = this.#byLine.get(line) ?? [];
    this.#byLine.set(line, [...others, { code, span, isNeeded: false }]);
  }

  /** Whether the comment above the YAML scalar that contains the span disables the code. */
  hold(code: string, span: Span): boolean {
    if (this.#byLine.size === 0 || span.source !== this.source) return false;
    const disabled = this.#byLine.get(lineOfScalar(span))?.find((one) => one.code === code);
    if (disabled !== undefined) disabled.isNeeded = true;
    return disabled !== undefined;
  }

  /** Codes in comments that nothing was reported of. */
  get unneeded(): readonly WithSpan<string>[] {
    return [...this.#byLine.values()]
      .flat()
      .filter(({ isNeeded }) => !isNeeded)
      .map(({ code, span }) => ({ value: code, span }));
  }
}
