/** Lines of files for which a comment above disables diagnostics with certain codes. */
import { lineOfScalar } from './yaml-line.js';
import type { WithSpan, Span, Source } from '../source.js';

interface Disabled {
  readonly code: string;
  /** The comment text after the codes. */
  readonly reason: string;
  /** The span of the code in the comment. */
  readonly span: Span;
}

export class DisabledLines {
  readonly #bySource = new Map<Source, Map<number, Disabled[]>>();

  /** Disables the code for the line (from 1) of the comment's file; `span` is the code in the comment. */
  add(line: number, disabled: Disabled): void {
    const { source } = disabled.span;
    const byLine = this.#bySource.get(source) ?? new Map<number, Disabled[]>();
    this.#bySource.set(source, byLine);
    byLine.set(line, [...(byLine.get(line) ?? []), disabled]);
  }

  /** Whether a comment above the YAML scalar that contains the span disables the code. */
  hold(code: string, span: Span): boolean {
    return this.#find(code, span) !== undefined;
  }

  /** The reason in such a comment; undefined if no comment disables the code. */
  reasonFor(code: string, span: Span): string | undefined {
    return this.#find(code, span)?.reason;
  }

  #find(code: string, span: Span): Disabled | undefined {
    if (this.#bySource.size === 0) return undefined;
    const byLine = this.#bySource.get(span.source);
    return byLine?.get(lineOfScalar(span))?.find((one) => one.code === code);
  }

  /** Codes in comments that did not disable any diagnostic. */
  unneeded(found: readonly { readonly code: string; readonly span: Span }[]): readonly WithSpan<string>[] {
    const needed = new Set(found.map(({ code, span }) => this.#find(code, span)));
    return [...this.#bySource.values()]
      .flatMap((byLine) => [...byLine.values()].flat())
      .filter((one) => !needed.has(one))
      .map(({ code, span }) => ({ value: code, span }));
  }
}
