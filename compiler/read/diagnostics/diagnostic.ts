/** A diagnostic as plain data; only the command line prints diagnostics. */
import type { Span } from '../source.js';
import type { Fix } from './fix.js';

export type Severity = 'error' | 'warning';

/** Severities set by the user, by code. Must not contain errors that prevent generating the service. */
export type Severities = ReadonlyMap<string, Severity | 'off'>;

export interface Diagnostic {
  /** The code, the key in the catalogue. */
  readonly code: string;
  readonly severity: Severity;
  /** The error and its reason: one or two sentences in the specification's terms. */
  readonly message: string;
  /** A suggestion for the user. */
  readonly hint?: string;
  /** The edit that applies the hint, if available. */
  readonly fix?: Fix;
  /** The position of the error. */
  readonly span: Span;
  /** Related positions, in file order. */
  readonly related: readonly Related[];
}

/** A related position of a diagnostic. */
export interface Related {
  readonly span: Span;
  /** A short note to print after the position: `first defined here`. */
  readonly message: string;
}
