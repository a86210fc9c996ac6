/** Diagnostics of a result that is computed before it is known whether anybody is to read them. */
import type { Span } from '../source.js';
import { catalogue, type Code, type ParametersOf } from './catalogue.js';

/** Receives diagnostics: the report of a compilation, or a recording for later. */
export interface Sink {
  /** Adds a diagnostic; the same code at the same position is reported once. */
  add<C extends Code>(code: C, span: Span, ...parameters: ParametersOf<C>): void;
  /** From now on nothing is added inside these spans: they have another diagnostic already. */
  ignoreInside(spans: readonly Span[]): void;
  /** Whether anything was added that stops the build. */
  readonly hasErrors: boolean;
}

/** Keeps them as values. */
export class Findings implements Sink {
  readonly #found: ((sink: Sink) => void)[] = [];
  #hasErrors = false;

  add<C extends Code>(code: C, span: Span, ...parameters: ParametersOf<C>): void {
    this.#found.push((sink) => {
      sink.add(code, span, ...parameters);
    });
    if (catalogue[code].severity === 'error') this.#hasErrors = true;
  }

  ignoreInside(spans: readonly Span[]): void {
    this.#found.push((sink) => {
      sink.ignoreInside(spans);
    });
  }

  get hasErrors(): boolean {
    return this.#hasErrors;
  }

  /** Adds all of them, in their order. */
  report(sink: Sink): void {
    for (const add of this.#found) add(sink);
  }
}
