/** A problem found, as plain data; `finish.ts` turns all findings into messages at the end. */
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

/** A recorded event: a finding, spans to ignore because they already have a diagnostic, or the use of an anchor. */
export type Recorded =
  | (Finding & { readonly kind: 'finding' })
  | { readonly kind: 'ignored'; readonly span: Span }
  | { readonly kind: 'alias'; readonly span: Span; readonly anchored: Span };

/** Receives findings: the report of a compilation, or a recording for later. */
export interface Sink {
  /** Adds a finding. The same code at the same position is only added once. */
  add<C extends Code>(code: C, span: Span, ...parameters: ParametersOf<C>): void;
  /** Ignores later findings inside these spans, which already have a diagnostic. */
  ignoreInside(spans: readonly Span[]): void;
  /** Whether any finding stops the build. */
  readonly hasErrors: boolean;
}
