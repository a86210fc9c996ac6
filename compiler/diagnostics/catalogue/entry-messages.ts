/** The shape of an entry of the catalogue. */
import type { Span } from '../../source.js';
import type { Edit } from '../fix.js';
import type { Related, Severity } from '../diagnostic.js';

/** What an entry says when it is filled in. */
export interface Wording {
  readonly message: string;
  readonly hint?: string | undefined;
  /** What the hint says to write in the place of the diagnostic, where it names exactly that. */
  readonly instead?: string | undefined;
  /** The same, as YAML: with the quotes that it needs. */
  readonly yamlInstead?: string | undefined;
  /** Where to write it, when that is more than the place of the diagnostic. */
  readonly insteadOf?: Span | undefined;
  /** What the hint says, where it takes several changes or one that is elsewhere: they hold nothing that must not be told. */
  readonly edits?: readonly Edit[] | undefined;
  /** Whether something else could be meant, too: then nothing is changed without a question. */
  readonly isSuggestion?: boolean | undefined;
  /** Other places that belong to it. */
  readonly related?: readonly Related[] | undefined;
  /** Diagnostics of one code and file with the same subject are one: the others are related places of the first. */
  readonly subject?: string | undefined;
}

/** `Parameters` is empty, or one object with what the wording needs. */
export interface Entry<Parameters extends readonly unknown[]> {
  readonly severity: Severity;
  /** True for an error that the service can be generated with all the same. */
  readonly canBeLowered?: boolean;
  readonly wordingOf: (...parameters: Parameters) => Wording;
}

/** An entry that stops the build. */
export function error<Parameters extends readonly unknown[]>(
  wordingOf: (...parameters: Parameters) => Wording,
): Entry<Parameters> {
  return { severity: 'error', wordingOf };
}

/** An entry that stops the build unless the user says otherwise: the service could be generated. */
export function ordinaryError<Parameters extends readonly unknown[]>(
  wordingOf: (...parameters: Parameters) => Wording,
): Entry<Parameters> {
  return { severity: 'error', canBeLowered: true, wordingOf };
}

/** `first defined here`, of what is there twice; nothing where the first one is not known. */
export function firstDefinedAt(span: Span | undefined): readonly Related[] {
  return span === undefined ? [] : [{ span, message: 'first defined here' }];
}

/** An entry that does not stop the build. */
export function warning<Parameters extends readonly unknown[]>(
  wordingOf: (...parameters: Parameters) => Wording,
): Entry<Parameters> {
  return { severity: 'warning', wordingOf };
}
