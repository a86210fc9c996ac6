/** Lines of a file in which a comment above disables diagnostics of certain codes. */
import { lineOfScalar } from './yaml-line.js';
import type { WithSpan, Span, Source } from '../source.js';

interface Disabled {
  readonly code: string;
  /** What the comment says behind the codes. */
  readonly reason: string;
  /** The code in the comment. */
  readonly span: Span;
  isNeeded: boolean;
}

export class DisabledLines {
  readonly #byLine = new Map<number, Disabled[]>();

  constructor(private readonly source: Source) {}

  /** Nothing of the code is reported in the line (from 1); `span` is the code in the comment. */
  add(line: number, { code, span, reason }: Omit<Disabled, 'isNeeded'>): void {
    const others = this.#byLine.get(line) ?? [];
    this.#byLine.set(line, [...others, { code, span, reason, isNeeded: false }]);
  }

  /** Whether the comment above the YAML scalar that contains the span disables the code. */
  hold(code: string, span: Span): boolean {
    return this.reasonFor(code, span) !== undefined;
  }

  /** What that comment says; undefined where none disables the code. */
  reasonFor(code: string, span: Span): string | undefined {
    if (this.#byLine.size === 0 || span.source !== this.source) return undefined;
    const disabled = this.#byLine.get(lineOfScalar(span))?.find((one) => one.code === code);
    if (disabled !== undefined) disabled.isNeeded = true;
    return disabled?.reason;
  }

  /** Codes in comments that nothing was reported of. */
  get unneeded(): readonly WithSpan<string>[] {
    return [...this.#byLine.values()]
      .flat()
      .filter(({ isNeeded }) => !isNeeded)
      .map(({ code, span }) => ({ value: code, span }));
  }
}
