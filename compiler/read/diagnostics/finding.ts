/** A mistake that was found, as a plain value; `finish.ts` words it when everything has been found. */
import type { Span } from '../source.js';
import type { Code, ParametersOf } from './catalogue.js';
import type { Entry } from './catalogue/entry-messages.js';

/** A code at a position, with the parameters of its wording. */
export interface Finding {
  readonly code: string;
  readonly entry: Entry<never[]>;
  readonly span: Span;
  readonly parameters: readonly never[];
}

/** A recorded step of reading: a finding, spans that need no second diagnostic, or the use of an anchor. */
export type Recorded =
  | (Finding & { readonly kind: 'finding' })
  | { readonly kind: 'ignored'; readonly span: Span }
  | { readonly kind: 'alias'; readonly span: Span; readonly anchored: Span };

/** Receives findings: the report of a compilation, or a recording for later. */
export interface Sink {
  /** Adds a finding; the same code at the same position is reported once. */
  add<C extends Code>(code: C, span: Span, ...parameters: ParametersOf<C>): void;
  /** From now on nothing is added inside these spans: they have another diagnostic already. */
  ignoreInside(spans: readonly Span[]): void;
  /** Whether anything was added that stops the build. */
  readonly hasErrors: boolean;
}
