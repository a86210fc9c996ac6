/** Lines of a file in which a comment above disables diagnostics of certain codes. */
import { lineOfScalar } from './yaml-line.js';
import type { WithSpan, Span, Source } from '../source.js';

interface Disabled {
  readonly code: string;
  /** The text of the comment behind the codes. */
  readonly reason: string;
  /** The code in the comment. */
  readonly span: Span;
}

export class DisabledLines {
  readonly #byLine = new Map<number, Disabled[]>();

  constructor(private readonly source: Source) {}

  /** Nothing of the code is reported in the line (from 1); `span` is the code in the comment. */
  add(line: number, disabled: Disabled): void {
    this.#byLine.set(line, [...(this.#byLine.get(line) ?? []), disabled]);
  }

  /** Whether the comment above the YAML scalar that contains the span disables the code. */
  hold(code: string, span: Span): boolean {
    return this.#find(code, span) !== undefined;
  }

  /** The reason in that comment; undefined if none disables the code. */
  reasonFor(code: string, span: Span): string | undefined {
    return this.#find(code, span)?.reason;
  }

  #find(code: string, span: Span): Disabled | undefined {
    if (this.#byLine.size === 0 || span.source !== this.source) return undefined;
    return this.#byLine.get(lineOfScalar(span))?.find((one) => one.code === code);
  }

  /** Codes in comments that nothing was found of. */
  unneeded(found: readonly { readonly code: string; readonly span: Span }[]): readonly WithSpan<string>[] {
    const needed = new Set(found.map(({ code, span }) => this.#find(code, span)));
    return [...this.#byLine.values()]
      .flat()
      .filter((one) => !needed.has(one))
      .map(({ code, span }) => ({ value: code, span }));
  }
}
