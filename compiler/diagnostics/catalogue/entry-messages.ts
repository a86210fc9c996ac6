/** The shape of an entry of the catalogue. */
import type { Place } from '../../source.js';
import type { Severity } from '../diagnostic.js';

/** What an entry says when it is filled in. */
export interface Wording {
  readonly message: string;
  readonly hint?: string | undefined;
  /** What the hint says to write in the place of the diagnostic, where it names exactly that. */
  readonly instead?: string | undefined;
  /** The same, as YAML: with the quotes that it needs. */
  readonly yamlInstead?: string | undefined;
  /** Where to write it, when that is more than the place of the diagnostic. */
  readonly insteadOf?: Place | undefined;
}

/** `Parameters` is empty, or one object with what the wording needs. */
export interface Entry<Parameters extends readonly unknown[]> {
  readonly severity: Severity;
  readonly say: (...parameters: Parameters) => Wording;
}

/** An entry that stops the build. */
export function error<Parameters extends readonly unknown[]>(
  say: (...parameters: Parameters) => Wording,
): Entry<Parameters> {
  return { severity: 'error', say };
}

/** An entry that does not stop the build. */
export function warning<Parameters extends readonly unknown[]>(
  say: (...parameters: Parameters) => Wording,
): Entry<Parameters> {
  return { severity: 'warning', say };
}
