/** A diagnostic of a configuration: a value, which only the command line prints. */
import type { Span } from '../source.js';
import type { Fix } from './fix.js';

export type Severity = 'error' | 'warning';

/** Severities that the user has set, by code. An error that the service cannot be generated with must not be in it. */
export type Severities = ReadonlyMap<string, Severity | 'off'>;

export interface Diagnostic {
  /** Name of the entry in the catalogue. */
  readonly code: string;
  readonly severity: Severity;
  /** The mistake and why it is one: one or two sentences in the words of the specification. */
  readonly message: string;
  /** A suggestion. */
  readonly hint?: string;
  /** The change that the hint names, where it names one. */
  readonly fix?: Fix;
  /** Where the error is. */
  readonly span: Span;
  /** Related positions, in the order of the file. */
  readonly related: readonly Related[];
}

/** A related position of a diagnostic. */
export interface Related {
  readonly span: Span;
  /** A few words that can follow a position: `first defined here`. */
  readonly message: string;
}
